#pragma once

#include <cstdint>
#include <optional>

#include "rose/heads/head.h"
#include "rose/layers/linear.h"
#include "rose/layers/norm.h"

namespace rose {

/// Output::kScores: logits of the pooled hidden state, in float32. The steps that a family's
/// checkpoints lack are left out: logits(norm(activation(dense(pooled)))).
struct ClassifierHead final : Head {
  PoolingMode pooling = PoolingMode::kCls;
  int64_t hidden_size = 0;
  std::optional<Linear> dense = {};
  std::optional<Activation> activation = {};
  std::optional<Norm> norm = {};
  Linear logits;

  OutputShape shape() const override { return {.columns = logits.out_features()}; }
  void Run(Ops& ops, const ModelInput& input, Tensor hidden, Tensor out) const override;
};

}  // namespace rose
