#include "hub/download/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "common/check.h"

namespace hub {
namespace {

constexpr int kRedirectsMax = 10;
constexpr std::size_t kHeadersMax = 200;
// Of a body that nobody reads.
constexpr int64_t kDroppedBytesMax = int64_t{1} << 20;

using HeaderList = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

void InitializeOnce() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  CHECK(code == CURLE_OK);
}

void Add(HeaderList& list, const std::string& line) {
  curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
  CHECK(longer != nullptr);
  static_cast<void>(list.release());
  list.reset(longer);
}

std::string Part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return "";
  std::string copy = text;
  curl_free(text);
  return copy;
}

/// Scheme, host and port in lower case; empty if it is no URL.
std::string Origin(const std::string& text) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return "";
  return absl::AsciiStrToLower(fmt::format("{}://{}:{}", Part(url.get(), CURLUPART_SCHEME),
                                           Part(url.get(), CURLUPART_HOST),
                                           Part(url.get(), CURLUPART_PORT)));
}

}  // namespace

std::string_view HttpResponse::Header(std::string_view name) const {
  const auto header = headers.find(std::string(name));
  return header == headers.end() ? std::string_view() : header->second;
}

/// What the callbacks of one request see; `this` is their last argument.
struct HttpClient::Transfer {
  CURL* curl;
  BodySink& sink;
  HttpResponse response = {};
  absl::Status sink_status = absl::OkStatus();
  bool begun = false;
  int64_t dropped_bytes = 0;

  bool succeeded() const { return response.status / 100 == 2; }

  void ReadStatus() {
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<int>(status);
  }

  absl::Status Begin() {
    begun = true;
    return sink.Begin(response);
  }

  absl::Status Take(std::string_view bytes) {
    if (!begun) {
      ReadStatus();
      if (succeeded()) RETURN_IF_ERROR(Begin());
    }
    if (begun) return sink.Append(bytes);
    dropped_bytes += static_cast<int64_t>(bytes.size());
    if (dropped_bytes <= kDroppedBytesMax) return absl::OkStatus();
    return absl::UnavailableError(fmt::format("answers {} without an end", response.status));
  }

  static std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self) {
    auto& headers = static_cast<Transfer*>(self)->response.headers;
    const std::string_view line(data, size * count);
    // An answer such as "100 Continue" may come before the real one.
    if (line.starts_with("HTTP/")) headers.clear();
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || headers.size() >= kHeadersMax) {
      return line.size();
    }
    std::string name(line.substr(0, colon));
    absl::AsciiStrToLower(&name);
    std::string value(line.substr(colon + 1));
    absl::StripAsciiWhitespace(&value);
    headers[std::move(name)] = std::move(value);
    return line.size();
  }

  static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    transfer.sink_status = transfer.Take({data, size * count});
    return transfer.sink_status.ok() ? size * count : 0;
  }
};

HttpClient::HttpClient(HttpClientOptions options)
    : options_(std::move(options)), fault_(std::make_unique<char[]>(CURL_ERROR_SIZE)) {
  InitializeOnce();
  curl_ = curl_easy_init();
  CHECK(curl_ != nullptr);
}

HttpClient::~HttpClient() { curl_easy_cleanup(curl_); }

std::string HttpClient::Escape(std::string_view text) const {
  char* const escaped = curl_easy_escape(curl_, text.data(), static_cast<int>(text.size()));
  CHECK(escaped != nullptr);
  std::string copy = escaped;
  curl_free(escaped);
  return copy;
}

absl::StatusOr<HttpResponse> HttpClient::Send(HttpRequest request, BodySink& sink) {
  const std::string origin = Origin(request.url);
  for (int redirects = 0; redirects <= kRedirectsMax; ++redirects) {
    std::string next;
    ASSIGN_OR_RETURN(HttpResponse response, SendOnce(request, sink, next));
    if (next.empty() || !response.Header(request.final_header).empty()) return response;
    if (request.url.starts_with("https:") && !next.starts_with("https:")) {
      return absl::FailedPreconditionError(fmt::format("{}: redirects from https to http", origin));
    }
    if (Origin(next) != origin) request.token.clear();
    request.url = std::move(next);
  }
  return absl::FailedPreconditionError(
      fmt::format("{}: redirects more than {} times", origin, kRedirectsMax));
}

absl::StatusOr<HttpResponse> HttpClient::SendOnce(const HttpRequest& request, BodySink& sink,
                                                  std::string& next) {
  Transfer transfer = {.curl = curl_, .sink = sink};
  HeaderList headers(nullptr, &curl_slist_free_all);
  // Compressed bytes would be neither those that are digested nor those that a range counts.
  Add(headers, "Accept-Encoding: identity");
  if (!request.token.empty()) Add(headers, "Authorization: Bearer " + request.token);
  if (sink.size() > 0) Add(headers, fmt::format("Range: bytes={}-", sink.size()));

  // Keeps connections. CURLOPT_NOSIGNAL stays unset: libcurl then holds SIGPIPE back itself.
  curl_easy_reset(curl_);
  fault_[0] = '\0';
  curl_easy_setopt(curl_, CURLOPT_ERRORBUFFER, fault_.get());
  curl_easy_setopt(curl_, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl_, CURLOPT_NOBODY, request.head ? 1L : 0L);
  curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl_, CURLOPT_USERAGENT, options_.user_agent.c_str());
  const auto timeout = static_cast<long>(options_.timeout.count());
  curl_easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT, timeout);
  curl_easy_setopt(curl_, CURLOPT_LOW_SPEED_TIME, timeout);
  curl_easy_setopt(curl_, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl_, CURLOPT_HEADERFUNCTION, &Transfer::OnHeader);
  curl_easy_setopt(curl_, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
  curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &transfer);

  const CURLcode code = curl_easy_perform(curl_);
  RETURN_IF_ERROR(transfer.sink_status);
  if (code != CURLE_OK) return FaultOf(code, request);
  transfer.ReadStatus();
  if (!transfer.begun && transfer.succeeded()) RETURN_IF_ERROR(transfer.Begin());
  curl_off_t retry_after = 0;
  curl_easy_getinfo(curl_, CURLINFO_RETRY_AFTER, &retry_after);
  if (retry_after > 0) transfer.response.retry_after = std::chrono::seconds(retry_after);
  char* redirect = nullptr;
  curl_easy_getinfo(curl_, CURLINFO_REDIRECT_URL, &redirect);
  if (redirect != nullptr) next = redirect;
  return std::move(transfer.response);
}

absl::Status HttpClient::FaultOf(int curl_code, const HttpRequest& request) const {
  const auto code = static_cast<CURLcode>(curl_code);
  const std::string message = fmt::format(
      "{}: {}", Origin(request.url), fault_[0] != '\0' ? fault_.get() : curl_easy_strerror(code));
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return absl::FailedPreconditionError(message);
    default:
      return absl::UnavailableError(message);
  }
}

}  // namespace hub
