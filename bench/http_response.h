#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "common/status.h"

namespace bench {

/// What an HTTP/1.1 answer says before its body.
struct ResponseHead {
  int status = 0;
  size_t head_bytes = 0;  ///< Up to and with the empty line.
  size_t body_bytes = 0;
  bool keep_alive = true;
};

/// Reads the head at the start of `bytes`; nullopt if it is not there whole yet. An answer that is
/// not HTTP/1.x, or that does not say its length (chunked), is an error.
absl::StatusOr<std::optional<ResponseHead>> ParseResponseHead(std::string_view bytes);

}  // namespace bench
