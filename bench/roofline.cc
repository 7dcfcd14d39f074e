#include "bench/roofline.h"

namespace bench {

std::optional<double> RooflineShare(const Roofline& roofline, const LoadResult& result) {
  if (!roofline.flops || roofline.peak_tflops <= 0 || result.wall_s <= 0) return std::nullopt;
  if (result.inputs_by_tokens.empty()) return std::nullopt;
  double flops = 0;
  for (const auto& [tokens, inputs] : result.inputs_by_tokens) {
    flops += roofline.flops(tokens) * static_cast<double>(inputs);
  }
  return flops / (roofline.peak_tflops * 1e12 * result.wall_s);
}

}  // namespace bench
