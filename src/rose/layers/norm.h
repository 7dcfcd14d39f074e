#pragma once

#include "rose/core/ops.h"

namespace rose {

/// A norm with its weights.
struct Norm {
  NormParams params;

  /// out = norm(x). `out` may be x.
  void operator()(Ops& ops, Tensor x, Tensor out) const { ops.Norm(params, x, out); }
  /// out = norm(x + residual). `out` may be either.
  void Sum(Ops& ops, Tensor x, Tensor residual, Tensor out) const {
    ops.AddNorm(params, x, residual, out);
  }
};

}  // namespace rose
