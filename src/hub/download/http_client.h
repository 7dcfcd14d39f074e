#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/status.h"

namespace hub {

struct HttpRequest {
  std::string url;
  bool head = false;
  /// Bearer token; empty: none. It goes to the origin (scheme, host, port) of `url` alone, never
  /// where a redirect to another leads.
  std::string token = {};
  /// A redirect that carries this header (lower case) is the answer and is not followed.
  std::string final_header = {};
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< Names in lower case.
  std::optional<std::chrono::seconds> retry_after;

  /// Empty if there is no such header.
  std::string_view Header(std::string_view name) const;
};

/// Takes the body of an answer.
class BodySink {
 public:
  virtual ~BodySink() = default;
  /// Bytes that are there from an earlier attempt; if there are any, only the rest is asked for.
  virtual int64_t size() const = 0;
  /// Comes before the first byte of an answer 2xx, also if it has none: 206 continues at size(),
  /// any other status starts over. An error ends the request and is what Send returns.
  virtual absl::Status Begin(const HttpResponse& response) = 0;
  virtual absl::Status Append(std::string_view bytes) = 0;
};

struct HttpClientOptions {
  std::string user_agent;
  std::chrono::seconds timeout{10};  ///< To connect, and of silence.
};

/// HTTP and HTTPS through libcurl, one request at a time, connections kept. Proxies as the
/// environment says (https_proxy, no_proxy). One thread.
class HttpClient {
 public:
  explicit HttpClient(HttpClientOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// The last answer on the way of redirects, whatever its status; bodies of others than 2xx are
  /// dropped. From https no redirect leads to http. Unavailable: no whole answer came, a later
  /// attempt may help. FailedPrecondition: the URL or the certificate is bad.
  absl::StatusOr<HttpResponse> Send(HttpRequest request, BodySink& sink);

  /// `text` as one component of a URL's path.
  std::string Escape(std::string_view text) const;

 private:
  struct Transfer;

  /// One answer; where it redirects to goes to `next`.
  absl::StatusOr<HttpResponse> SendOnce(const HttpRequest& request, BodySink& sink,
                                        std::string& next);
  absl::Status FaultOf(int curl_code, const HttpRequest& request) const;

  HttpClientOptions options_;
  void* curl_;
  std::unique_ptr<char[]> fault_;  // libcurl writes its messages here
};

}  // namespace hub
