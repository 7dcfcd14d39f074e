#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ivy {

/// How long a replica works on so many tokens: what it measured when it started, straight lines
/// between. Rises with the tokens.
class BatchCurve {
 public:
  /// A microsecond a token, where nothing was measured.
  BatchCurve() = default;
  /// Points (tokens, µs) as in wire::ModelInfo::batch_curve; those that are not in order of tokens,
  /// or not above 0, are passed over, since another program told them.
  explicit BatchCurve(const std::vector<std::pair<int64_t, int64_t>>& points);

  /// Below the first point the first line goes on; beyond the last, work is done in steps of that
  /// size.
  double Microseconds(double tokens) const;

 private:
  struct Point {
    double tokens;
    double us;
  };
  std::vector<Point> points_;
};

}  // namespace ivy
