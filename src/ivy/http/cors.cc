#include "ivy/http/cors.h"

#include <algorithm>

namespace ivy {
namespace {

constexpr char kExposed[] =
    "x-request-id, retry-after, x-compute-type, x-compute-time, x-compute-characters, "
    "x-compute-tokens, x-total-time, x-tokenization-time, x-queue-time, x-inference-time, "
    "traceparent";

/// Browsers send what a page asks for; echoed only if it is a plain list of header names.
bool IsHeaderList(std::string_view text) {
  return !text.empty() && text.size() <= 1024 && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == ',' ||
           c == ' ';
  });
}

}  // namespace

void Cors::Stamp(const Request& request, Response& response) const {
  const std::string_view origin = request.Find("origin");
  if (origin.empty() || origins_.empty()) return;
  const bool any = std::find(origins_.begin(), origins_.end(), "*") != origins_.end();
  if (any) {
    response.headers.push_back({"access-control-allow-origin", "*"});
  } else {
    response.headers.push_back({"vary", "origin"});
    if (std::find(origins_.begin(), origins_.end(), origin) == origins_.end()) return;
    response.headers.push_back({"access-control-allow-origin", std::string(origin)});
  }
  response.headers.push_back({"access-control-expose-headers", kExposed});
}

Response Cors::Preflight(const Request& request, const std::string& allow) const {
  Response response = {.status = 204};
  response.headers.push_back({"allow", allow});
  if (request.Find("origin").empty() || origins_.empty()) return response;
  const std::string_view asked = request.Find("access-control-request-headers");
  response.headers.push_back({"access-control-allow-methods", allow});
  response.headers.push_back({"access-control-allow-headers",
                              IsHeaderList(asked) ? std::string(asked)
                                                  : "authorization, content-type, x-request-id, "
                                                    "traceparent, tracestate"});
  response.headers.push_back({"access-control-max-age", "86400"});
  return response;
}

}  // namespace ivy
