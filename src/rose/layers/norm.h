#pragma once

#include "rose/core/ops.h"

namespace rose {

/// A norm with its weights.
struct Norm {
  NormParams params;

  /// out = norm(x). `out` may be x.
  void operator()(Ops& ops, Tensor x, Tensor out) const { ops.Norm(params, x, out); }
};

}  // namespace rose
