#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ivy/http/cause.h"

namespace ivy {

enum class Method { kGet, kHead, kPost, kOptions, kOther };

struct Header {
  std::string name;  ///< Lower case.
  std::string value;
};

/// One HTTP request, whole. Plain data; the connection that read it is not known here.
struct Request {
  Method method = Method::kGet;
  std::string path;   ///< Of the target, before '?', as sent.
  std::string query;  ///< After '?'.
  std::vector<Header> headers{};
  /// Capacity exceeds size by at least kBodyPadding bytes, so that it is parsed in place.
  std::string body{};

  /// Value of the first header of that (lower-case) name, "" if there is none.
  std::string_view Find(std::string_view name) const {
    for (const Header& header : headers) {
      if (header.name == name) return header.value;
    }
    return {};
  }
};

inline constexpr std::size_t kBodyPadding = 64;
inline constexpr std::string_view kJsonType = "application/json";

/// What goes back. Content-Length, Date and Connection are the connection's business.
struct Response {
  int status = 200;
  std::string_view content_type = kJsonType;  ///< A constant.
  std::vector<Header> headers{};
  std::string body{};
  std::optional<Cause> cause{};  ///< Why it failed, if it did; for the metrics.
};

}  // namespace ivy
