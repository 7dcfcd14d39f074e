#pragma once

#include "rose/heads/head.h"

namespace rose {

/// Output::kTokens: the last hidden states as they are.
class TokenHead final : public Head {
 public:
  explicit TokenHead(int64_t hidden_size) : hidden_size_(hidden_size) {}

  OutputShape shape() const override { return {.columns = hidden_size_, .per_token = true}; }
  void Run(Ops& ops, const ModelInput&, Tensor hidden, Tensor out) const override {
    ops.Widen(hidden, out);
  }

 private:
  int64_t hidden_size_;
};

}  // namespace rose
