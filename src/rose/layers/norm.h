#pragma once

#include "rose/core/ops.h"

namespace rose {

/// A norm with its weights; `out` may be x.
struct Norm {
  NormParams params;

  void operator()(Ops& ops, Tensor x, Tensor out) const { ops.Norm(params, x, out); }
};

}  // namespace rose
