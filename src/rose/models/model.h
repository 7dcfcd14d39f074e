#pragma once

#include <cstdint>
#include <memory>

#include "common/status.h"
#include "hub/model_folder.h"
#include "hub/outputs.h"
#include "rose/core/backend.h"
#include "rose/heads/head.h"
#include "rose/models/encoder.h"
#include "rose/weights/weight_source.h"

namespace rose {

/// A whole model: an encoder and a head for each output. Immutable; any number of Ops may Run at
/// once.
class Model {
 public:
  /// Reads all weights into `backend`, which must outlive the model. No file stays mapped. Errors
  /// name the config key or the tensor, and what was expected.
  static absl::StatusOr<std::unique_ptr<Model>> Load(const hub::ModelFolder& folder,
                                                     const WeightSource& source, Backend& backend);

  Model(std::unique_ptr<Encoder> encoder, hub::PerOutput<std::unique_ptr<Head>> heads);

  /// One pass. Of `out`, the tensors that have columns are filled, each of the shape that shape()
  /// says. The arena of `ops` is left as it was found.
  void Run(Ops& ops, const ModelInput& input, const hub::PerOutput<Tensor>& out) const;

  /// Arena bytes that Run takes at most for `tokens` tokens in all, with activations of `dtype`,
  /// whatever the sequences' lengths and the outputs.
  int64_t ArenaBytes(DType dtype, int64_t tokens) const;

  const Encoder& encoder() const { return *encoder_; }
  hub::Outputs outputs() const;
  OutputShape shape(hub::Output output) const;

 private:
  std::unique_ptr<Encoder> encoder_;
  hub::PerOutput<std::unique_ptr<Head>> heads_;
};

}  // namespace rose
