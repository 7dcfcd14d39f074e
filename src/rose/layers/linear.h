#pragma once

#include "rose/core/ops.h"
#include "rose/layers/norm.h"

namespace rose {

/// y = x Wᵀ + b.
struct Linear {
  const LinearWeight* weight = nullptr;

  int64_t out_features() const { return weight->out_features; }

  void operator()(Ops& ops, Tensor x, Tensor out) const { ops.Linear(*weight, x, out); }
  /// x += this(y), out = norm(x). `out` may be x.
  void AddNorm(Ops& ops, const Norm& norm, Tensor y, Tensor x, Tensor out) const {
    ops.LinearResidualNorm(*weight, norm.params, y, x, out);
  }
};

}  // namespace rose
