#include "ivy/job/cut_vector.h"

#include <algorithm>
#include <cmath>

namespace ivy {

void CutVector(std::span<const float> vector, bool normalize, std::span<float> out) {
  std::copy_n(vector.begin(), out.size(), out.begin());
  if (!normalize || out.size() == vector.size()) return;
  double sum = 0;
  for (const float value : out) sum += double{value} * value;
  const double scale = 1 / std::max(std::sqrt(sum), 1e-12);
  for (float& value : out) value = static_cast<float>(value * scale);
}

}  // namespace ivy
