#include "ivy/http/request_id.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/random_id.h"

namespace ivy {

std::string RequestId(std::string_view sent) {
  const bool usable =
      !sent.empty() && sent.size() <= 128 &&
      std::all_of(sent.begin(), sent.end(), [](char c) { return c > ' ' && c < 127; });
  if (usable) return std::string(sent);
  return fmt::format("{:016x}", common::RandomId());
}

}  // namespace ivy
