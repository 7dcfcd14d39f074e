#include "ivy/net/request_head.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/field.hpp>

namespace ivy {
namespace {

namespace http = boost::beast::http;

Method MethodOf(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::kGet;
    case http::verb::head:
      return Method::kHead;
    case http::verb::post:
      return Method::kPost;
    case http::verb::options:
      return Method::kOptions;
    default:
      return Method::kOther;
  }
}

/// "http://host/path" (what a proxy is sent) → "/path".
std::string_view WithoutAuthority(std::string_view target) {
  const std::size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == target.npos) return target;
  const std::size_t path = target.find('/', scheme + 3);
  return path == target.npos ? std::string_view("/") : target.substr(path);
}

}  // namespace

void TakeHead(const RequestParser& parser, Request& request) {
  const auto& head = parser.get();
  request.method = MethodOf(head.method());
  const std::string_view target =
      WithoutAuthority(std::string_view(head.target().data(), head.target().size()));
  const std::size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  request.query = target.substr(std::min(question + 1, target.size()));
  for (const auto& field : head) {
    std::string name(field.name_string());
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    request.headers.push_back({std::move(name), std::string(field.value())});
  }
}

absl::Status CheckHead(const RequestParser& parser) {
  const auto& head = parser.get();
  if (head.version() == 11 && head.count(http::field::host) != 1) {
    return Failure(Cause::kMalformed, "expected one Host header");
  }
  // A coding that two readers may see differently would let a request hide in another's body.
  if (const auto coding = head.find(http::field::transfer_encoding); coding != head.end()) {
    if (head.version() < 11) {
      return Failure(Cause::kMalformed, "transfer-encoding: HTTP/1.0 knows none");
    }
    if (!boost::beast::iequals(coding->value(), "chunked")) {
      return Failure(Cause::kUnsupported, "transfer-encoding: expected chunked or none");
    }
  }
  const auto expectation = head[http::field::expect];
  if (!expectation.empty() && !boost::beast::iequals(expectation, "100-continue")) {
    return Failure(Cause::kUnsupported, "expect: expected 100-continue or none");
  }
  return absl::OkStatus();
}

bool ExpectsContinue(const RequestParser& parser) {
  return parser.get().version() == 11 && !parser.get()[http::field::expect].empty();
}

}  // namespace ivy
