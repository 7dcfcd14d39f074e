#pragma once

#include <span>

namespace ivy {

/// Copies the first out.size() components of `vector` to `out`. If `normalize` and something was
/// cut off, `out` is brought to length 1 again, v / max(‖v‖₂, 1e-12).
void CutVector(std::span<const float> vector, bool normalize, std::span<float> out);

}  // namespace ivy
