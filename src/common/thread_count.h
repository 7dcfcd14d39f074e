#pragma once

#include <algorithm>
#include <thread>

namespace common {

/// `asked`; where that is 0, one thread for each `processors` of them, but `low` to `high`.
inline int ThreadCount(int asked, unsigned processors, int low, int high) {
  if (asked > 0) return asked;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency() / processors), low, high);
}

}  // namespace common
