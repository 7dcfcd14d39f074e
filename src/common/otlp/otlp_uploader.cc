#include "common/otlp/otlp_uploader.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "common/check.h"

namespace common {
namespace {

using Kind = UploadAnswer::Kind;
using HeaderList = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

std::string Part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

/// "http://HOST:PORT/v1/traces"; "" if `endpoint` is no such URL, or has what would not be part of
/// the path or what the log must not show.
std::string TracesUrl(const std::string& endpoint) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
  if (!url || curl_url_set(url.get(), CURLUPART_URL, endpoint.c_str(), 0) != CURLUE_OK) return {};
  const std::string scheme = Part(url.get(), CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return {};
  for (const CURLUPart part :
       {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT}) {
    if (!Part(url.get(), part).empty()) return {};
  }
  std::string base = endpoint.substr(0, endpoint.find_first_of("?#"));
  while (base.ends_with('/')) base.pop_back();
  if (base.ends_with("/v1/traces")) return {};
  return base + "/v1/traces";
}

Kind KindOf(long status) {
  if (status / 100 == 2) return Kind::kTaken;
  const bool passes = status == 429 || status == 502 || status == 503 || status == 504;
  return passes ? Kind::kLater : Kind::kRefused;
}

class OtlpUploader final : public SpanUploader {
 public:
  OtlpUploader(std::string url, OtlpUploaderOptions options)
      : url_(std::move(url)),
        options_(std::move(options)),
        curl_(curl_easy_init(), &curl_easy_cleanup) {
    CHECK(curl_ != nullptr);
    headers_.reset(curl_slist_append(nullptr, "Content-Type: application/json"));
    CHECK(headers_ != nullptr);
    // A body of some 100 kB need not wait to be asked for.
    CHECK(curl_slist_append(headers_.get(), "Expect:") != nullptr);
  }

  UploadAnswer Upload(const std::string& body) override {
    SetOptions(body);
    const CURLcode code = curl_easy_perform(curl_.get());
    if (code != CURLE_OK) {
      const char* const fault = fault_[0] != '\0' ? fault_.data() : curl_easy_strerror(code);
      return {.kind = Kind::kLater, .fault = fmt::format("{}: {}", url_, fault)};
    }
    long status = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    UploadAnswer answer = {.kind = KindOf(status)};
    if (answer.kind != Kind::kTaken) answer.fault = fmt::format("{} says {}", url_, status);
    curl_off_t seconds = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RETRY_AFTER, &seconds);
    if (seconds > 0) answer.retry_after = std::chrono::seconds(seconds);
    return answer;
  }

  void Hurry(TimePoint deadline) override { deadline_ = deadline.time_since_epoch().count(); }

 private:
  /// What the deadline leaves of it; libcurl takes 0 for none.
  std::chrono::milliseconds Timeout() const {
    using std::chrono::milliseconds;
    const TimePoint now = Clock::Steady().Now();
    const auto left = std::chrono::ceil<milliseconds>(std::max(Deadline(), now) - now);
    return std::clamp(left, milliseconds(1), options_.timeout);
  }

  TimePoint Deadline() const { return TimePoint(Duration(deadline_.load())); }

  void SetOptions(const std::string& body) {
    CURL* const curl = curl_.get();
    const auto timeout = static_cast<long>(Timeout().count());
    curl_easy_reset(curl);  // Keeps connections.
    fault_[0] = '\0';
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, fault_.data());
    curl_easy_setopt(curl, CURLOPT_URL, url_.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_USERAGENT, options_.user_agent.c_str());
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers_.get());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);  // Not the only thread.
    // The system's resolver knows no limit: who has waited enough leaves it to a thread of
    // libcurl's that ends, and frees what is its own, when the resolver answers.
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, std::max(timeout / 3, 1L));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &DropBody);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &OnProgress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, this);
  }

  static std::size_t DropBody(char*, std::size_t size, std::size_t count, void*) {
    return size * count;
  }

  /// Asked about once a second.
  static int OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return Clock::Steady().Now() >= static_cast<OtlpUploader*>(self)->Deadline() ? 1 : 0;
  }

  const std::string url_;
  const OtlpUploaderOptions options_;
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_;
  HeaderList headers_{nullptr, &curl_slist_free_all};
  std::array<char, CURL_ERROR_SIZE> fault_{};  ///< libcurl writes its messages here.
  std::atomic<Duration::rep> deadline_{Duration::max().count()};
};

}  // namespace

absl::StatusOr<std::unique_ptr<SpanUploader>> MakeOtlpUploader(const OtlpUploaderOptions& options) {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  CHECK(code == CURLE_OK);
  std::string url = TracesUrl(options.endpoint);
  if (url.empty()) {
    return absl::InvalidArgumentError(
        "expected http://HOST:PORT or https://HOST:PORT, with a path at most: /v1/traces is added");
  }
  return std::make_unique<OtlpUploader>(std::move(url), options);
}

}  // namespace common
