#include "wire/grpc/status.h"

#include <string>

namespace wire {
namespace {

constexpr std::size_t kMessageBytesMax = 1024;

/// `text`, cut at the beginning of a code point.
std::string Cut(absl::string_view text) {
  if (text.size() <= kMessageBytesMax) return std::string(text);
  std::size_t end = kMessageBytesMax;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), Cut(status.message())};
}

absl::Status FromGrpcStatus(const grpc::Status& status) {
  return {static_cast<absl::StatusCode>(status.error_code()), status.error_message()};
}

}  // namespace wire
