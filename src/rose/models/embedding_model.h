#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/status.h"
#include "hub/model_folder.h"
#include "rose/core/backend.h"
#include "rose/models/model.h"
#include "rose/weights/weights.h"

namespace rose {

/// A whole embedding model: token ids in, one vector for each sequence out. Immutable; any number
/// of Ops may Run at once.
class EmbeddingModel {
 public:
  /// Reads all weights into `backend`, which must outlive the model; `weights` may go afterwards.
  /// Errors name the config key or the tensor, and what was expected.
  static absl::StatusOr<std::unique_ptr<EmbeddingModel>> Load(const hub::ModelFolder& folder,
                                                              Weights& weights, Backend& backend);

  EmbeddingModel(std::unique_ptr<Encoder> encoder, const hub::Pooling& pooling);

  /// out float32 [sequences × dimension()]: encoder, pooling (several modes side by side), L2
  /// normalisation of the rows that ask for it (input.normalize). The arena of `ops` is left as it
  /// was found.
  void Run(Ops& ops, const ModelInput& input, Tensor out) const;

  /// Arena bytes that Run takes for `tokens` tokens in all, with activations of `dtype`, whatever
  /// the sequences' lengths.
  int64_t ArenaBytes(DType dtype, int64_t tokens) const;

  const Encoder& encoder() const { return *encoder_; }
  int64_t dimension() const;

 private:
  std::unique_ptr<Encoder> encoder_;
  std::vector<PoolingMode> modes_;
  bool include_prompt_;
};

}  // namespace rose
