#pragma once

#include "rose/core/ops.h"

namespace rose {

/// y = x Wᵀ + b.
struct Linear {
  const LinearWeight* weight = nullptr;

  int64_t out_features() const { return weight->out_features; }

  void operator()(Ops& ops, Tensor x, Tensor out) const { ops.Linear(*weight, x, out); }
};

}  // namespace rose
