#pragma once

#include <sstream>

namespace common {

/// Collects the message of a failed CHECK, prints it with file and line, and aborts.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  [[noreturn]] ~CheckFailure();
  std::ostream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};

}  // namespace common

/// CHECK(cond) << "…": aborts if our own reasoning was wrong. Never reachable from outside input.
#define CHECK(condition) \
  while (!(condition)) common::CheckFailure(__FILE__, __LINE__, #condition).stream()

#ifdef NDEBUG
namespace common {
inline constexpr bool kDebugBuild = false;
}
#define DCHECK(condition) \
  while (false) CHECK(condition)
#else
namespace common {
inline constexpr bool kDebugBuild = true;
}
#define DCHECK(condition) CHECK(condition)
#endif
