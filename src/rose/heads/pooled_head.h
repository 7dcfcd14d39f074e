#pragma once

#include <cstdint>
#include <vector>

#include "hub/model_folder.h"
#include "rose/heads/dense_module.h"
#include "rose/heads/head.h"

namespace rose {

/// Output::kDense: pooling (several modes side by side), Dense modules, L2 normalisation of the
/// rows that ask for it.
class PooledHead final : public Head {
 public:
  /// The modules' weights are float32.
  PooledHead(int64_t hidden_size, const hub::Pooling& pooling, std::vector<DenseModule> modules);

  OutputShape shape() const override;
  void Run(Ops& ops, const ModelInput& input, Tensor hidden, Tensor out) const override;

 private:
  int64_t pooled_size_;
  std::vector<PoolingMode> modes_;
  bool include_prompt_;
  std::vector<DenseModule> modules_;
};

}  // namespace rose
