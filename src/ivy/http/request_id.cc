#include "ivy/http/request_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace ivy {

std::string RequestId(std::string_view sent) {
  const bool usable =
      !sent.empty() && sent.size() <= 128 &&
      std::all_of(sent.begin(), sent.end(), [](char c) { return c > ' ' && c < 127; });
  if (usable) return std::string(sent);
  thread_local std::mt19937_64 random(std::random_device{}());
  return fmt::format("{:016x}", random());
}

}  // namespace ivy
