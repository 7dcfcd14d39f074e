#pragma once

#include <algorithm>
#include <string_view>

namespace wire {

/// Whether `id` may travel as x-request-id: 1 to 128 visible ASCII characters. gRPC aborts the
/// program over a header with others.
inline bool IsRequestId(std::string_view id) {
  return !id.empty() && id.size() <= 128 &&
         std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c < 127; });
}

}  // namespace wire
