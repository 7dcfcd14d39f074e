#pragma once

#include "rose/heads/head.h"
#include "rose/layers/linear.h"

namespace rose {

/// Output::kSparse of bge-m3: a weight for each token, relu(h · w + b). Which token ids they belong
/// to, who has the ids knows. Chen et al., M3-Embedding, 2024.
class LexicalHead final : public Head {
 public:
  explicit LexicalHead(Linear linear) : linear_(linear) {}

  OutputShape shape() const override { return {.columns = 1, .per_token = true}; }
  void Run(Ops& ops, const ModelInput&, Tensor hidden, Tensor out) const override {
    ScratchScope scope(ops);
    const Tensor weights = ops.Scratch(hidden.rows, 1);
    ops.LinearActivate(*linear_.weight, Activation::kRelu, hidden, weights);
    ops.Widen(weights, out);
  }

 private:
  Linear linear_;
};

}  // namespace rose
