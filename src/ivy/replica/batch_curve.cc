#include "ivy/replica/batch_curve.h"

#include <algorithm>

namespace ivy {

BatchCurve::BatchCurve(const std::vector<std::pair<int64_t, int64_t>>& points) {
  for (const auto& [tokens, us] : points) {
    const Point last = points_.empty() ? Point{0, 0} : points_.back();
    const Point point = {static_cast<double>(tokens), static_cast<double>(us)};
    if (point.tokens <= last.tokens || point.us <= 0) continue;
    // A larger step that was timed as quicker was timed badly.
    points_.push_back({point.tokens, std::max(point.us, last.us)});
  }
}

double BatchCurve::Microseconds(double tokens) const {
  if (points_.empty()) return tokens;
  const Point& last = points_.back();
  if (points_.size() == 1 || tokens >= last.tokens) return tokens * (last.us / last.tokens);
  auto right =
      std::upper_bound(points_.begin() + 1, points_.end() - 1, tokens,
                       [](double value, const Point& point) { return value < point.tokens; });
  const Point& left = *(right - 1);
  const double slope = (right->us - left.us) / (right->tokens - left.tokens);
  return std::max(left.us + (tokens - left.tokens) * slope, 0.0);
}

}  // namespace ivy
