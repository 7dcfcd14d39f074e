#include "bench/http_response.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace bench {
namespace {

constexpr size_t kHeadBytesMax = 64 << 10;
constexpr size_t kBodyBytesMax = size_t{32} << 30;  ///< A million vectors of 6000 components.
constexpr std::string_view kProtocol = "HTTP/1.";
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

/// Cuts the first line off `text` and returns it without its end.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find(kLineEnd), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + kLineEnd.size(), text.size()));
  return line;
}

std::string_view Trimmed(std::string_view text) {
  const size_t start = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(start, text.find_last_not_of(" \t") + 1 - start);
}

bool EqualsIgnoringCase(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == y;
  });
}

template <typename Integer>
bool ReadInteger(std::string_view digits, Integer& value) {
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc() && stop == end;
}

absl::Status NotHttp(std::string_view start) {
  return absl::DataLossError(
      fmt::format("the answer starts with \"{}\", expected HTTP/1.1", start.substr(0, 40)));
}

/// "HTTP/1.1 200 OK" → 200.
absl::StatusOr<int> ReadStatusLine(std::string_view line) {
  int status = 0;
  if (!line.starts_with(kProtocol) || line.size() < 12 || line[8] != ' ' ||
      !ReadInteger(line.substr(9, 3), status)) {
    return NotHttp(line);
  }
  return status;
}

}  // namespace

absl::StatusOr<std::optional<ResponseHead>> ParseResponseHead(std::string_view bytes) {
  const size_t end = bytes.find(kHeadEnd);
  if (end == std::string_view::npos) {
    // Who speaks another protocol may wait for us, and never end a head.
    if (bytes.substr(0, kProtocol.size()) != kProtocol.substr(0, bytes.size())) {
      return NotHttp(bytes);
    }
    if (bytes.size() > kHeadBytesMax) {
      return absl::DataLossError("the answer's head is longer than 64 KiB");
    }
    return std::nullopt;
  }
  ResponseHead head = {.head_bytes = end + kHeadEnd.size()};
  std::string_view lines = bytes.substr(0, end);
  const std::string_view status_line = TakeLine(lines);
  ASSIGN_OR_RETURN(head.status, ReadStatusLine(status_line));
  head.keep_alive = !status_line.starts_with("HTTP/1.0");  // Which has to be asked for it.

  bool has_length = false;
  while (!lines.empty()) {
    const std::string_view line = TakeLine(lines);
    const size_t colon = std::min(line.find(':'), line.size() - 1);
    const std::string_view name = line.substr(0, colon), value = Trimmed(line.substr(colon + 1));
    if (EqualsIgnoringCase(name, "content-length")) {
      has_length = ReadInteger(value, head.body_bytes);
    } else if (EqualsIgnoringCase(name, "connection")) {
      head.keep_alive = !EqualsIgnoringCase(value, "close");
    }
  }
  if (!has_length) {
    return absl::UnimplementedError(
        fmt::format("status {}: the answer has no Content-Length", head.status));
  }
  if (head.body_bytes > kBodyBytesMax) {
    return absl::DataLossError(fmt::format("Content-Length: {} bytes, at most {} are read",
                                           head.body_bytes, kBodyBytesMax));
  }
  return head;
}

}  // namespace bench
