#include "hub/download/hub_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "common/json.h"
#include "common/json_view.h"
#include "hub/download/hub_id.h"
#include "hub/download/retries.h"

namespace hub {
namespace {

constexpr int kAttempts = 5;
constexpr std::size_t kListingBytesMax = std::size_t{64} << 20;
constexpr std::size_t kEtagMax = 128;
constexpr char kLinkedEtag[] = "x-linked-etag";

/// The body in memory, up to what a listing may take.
class TextSink final : public BodySink {
 public:
  int64_t size() const override { return 0; }
  absl::Status Begin(const HttpResponse&) override {
    text.clear();
    return absl::OkStatus();
  }
  absl::Status Append(std::string_view bytes) override {
    if (text.size() + bytes.size() > kListingBytesMax) {
      return absl::InvalidArgumentError("the hub's answer: larger than 64 MiB");
    }
    text += bytes;
    return absl::OkStatus();
  }

  std::string text;
};

std::string Printable(std::string_view text) {
  std::string copy(text.substr(0, 200));
  std::replace_if(
      copy.begin(), copy.end(), [](char c) { return !absl::ascii_isprint(c); }, '?');
  return copy;
}

/// `W/"x"` and `"x"` are x. Empty if it would not do as a file's name.
std::string ReadEtag(std::string_view header) {
  if (header.starts_with("W/")) header.remove_prefix(2);
  if (header.size() >= 2 && header.front() == '"' && header.back() == '"') {
    header = header.substr(1, header.size() - 2);
  }
  const bool safe = !header.empty() && header.size() <= kEtagMax && header.front() != '.' &&
                    std::all_of(header.begin(), header.end(), [](char c) {
                      return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
                    });
  return safe ? std::string(header) : "";
}

std::optional<int64_t> ReadSize(std::string_view header) {
  int64_t size = 0;
  const auto [rest, error] = std::from_chars(header.data(), header.data() + header.size(), size);
  if (error != std::errc() || rest != header.data() + header.size() || size < 0) {
    return std::nullopt;
  }
  return size;
}

absl::StatusOr<RepositoryListing> ReadListing(const std::string& text, const std::string& name) {
  ASSIGN_OR_RETURN(const nlohmann::json json, common::ParseJson(text, name));
  const common::JsonView view(json, name);
  RepositoryListing listing;
  ASSIGN_OR_RETURN(listing.commit, view.String("sha"));
  if (!IsCommit(listing.commit)) {
    ASSIGN_OR_RETURN(const common::JsonView sha, view.Member("sha"));
    return sha.Expected("a commit of 40 hex digits");
  }
  ASSIGN_OR_RETURN(const common::JsonView siblings, view.Member("siblings"));
  RETURN_IF_ERROR(siblings.ForEachElement([&](const common::JsonView& sibling) -> absl::Status {
    ASSIGN_OR_RETURN(const std::string_view file, sibling.String("rfilename"));
    if (!IsNameInside(file)) {
      return sibling.Error(fmt::format("\"{}\" leaves the model folder", Printable(file)));
    }
    listing.files.emplace_back(file);
    return absl::OkStatus();
  }));
  return listing;
}

}  // namespace

HubClient::HubClient(const HubSettings& settings, std::string id, HttpClientOptions http)
    : endpoint_(settings.endpoint),
      token_(settings.token),
      id_(std::move(id)),
      http_(std::move(http)) {}

absl::StatusOr<RepositoryListing> HubClient::List(const std::string& revision, int attempts) {
  TextSink sink;
  const std::string url =
      fmt::format("{}/api/models/{}/revision/{}", endpoint_, id_, http_.Escape(revision));
  RETURN_IF_ERROR(Ask({.url = url}, fmt::format("revision {}", revision), attempts, sink).status());
  return ReadListing(sink.text, url);
}

absl::StatusOr<FileDescription> HubClient::Describe(const std::string& commit,
                                                    const std::string& file) {
  TextSink none;
  const HttpRequest request = {
      .url = FileUrl(commit, file), .head = true, .final_header = kLinkedEtag};
  ASSIGN_OR_RETURN(const HttpResponse response,
                   Ask(request, fmt::format("file {}", file), kAttempts, none));
  const std::string_view said = response.Header("x-repo-commit");
  if (!said.empty() && said != commit) {
    return absl::InvalidArgumentError(fmt::format("{}: {}: the hub sends it of commit {}, not {}",
                                                  id_, file, Printable(said), commit));
  }
  const std::string_view linked = response.Header(kLinkedEtag);
  FileDescription description;
  description.etag = ReadEtag(linked.empty() ? response.Header("etag") : linked);
  description.size = ReadSize(response.Header(linked.empty() ? "content-length" : "x-linked-size"));
  if (description.etag.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: {}: {} does not name its bytes (ETag); is it a hub?", id_, file, endpoint_));
  }
  return description;
}

absl::Status HubClient::Read(const std::string& commit, const std::string& file, BodySink& sink) {
  return Ask({.url = FileUrl(commit, file)}, fmt::format("file {}", file), kAttempts, sink)
      .status();
}

absl::StatusOr<HttpResponse> HubClient::Ask(HttpRequest request, const std::string& what,
                                            int attempts, BodySink& sink) {
  request.token = token_;
  Retries retries(attempts);
  for (int64_t before = sink.size();; before = sink.size()) {
    absl::StatusOr<HttpResponse> response = http_.Send(request, sink);
    const absl::Status status =
        response.ok()
            ? Judge(request, *response, what)
            : absl::Status(response.status().code(),
                           fmt::format("{}: {}", id_, std::string(response.status().message())));
    if (status.ok()) return response;
    if (sink.size() > before) retries.Reset();
    RETURN_IF_ERROR(retries.Wait(status, response.ok() ? response->retry_after : std::nullopt));
  }
}

absl::Status HubClient::Judge(const HttpRequest& request, const HttpResponse& response,
                              const std::string& what) const {
  const int status = response.status;
  if (status / 100 == 2) return absl::OkStatus();
  if (status / 100 == 3 && !response.Header(request.final_header).empty()) return absl::OkStatus();
  if (status == 401 || status == 403) return Refusal(response);
  if (status == 404) {
    const std::string_view code = response.Header("x-error-code");
    if (code == "RevisionNotFound" || code == "EntryNotFound") {
      return absl::NotFoundError(fmt::format("{}: no {} at {}", id_, what, endpoint_));
    }
    return absl::NotFoundError(
        fmt::format("{}: no such model, or no {} of it, at {}", id_, what, endpoint_));
  }
  const std::string message = fmt::format("{}: {} answers {}{}", id_, endpoint_, status,
                                          status == 429 ? " (too many requests)" : "");
  if (status == 408 || status == 429 || status >= 500) return absl::UnavailableError(message);
  return absl::FailedPreconditionError(message);
}

/// 401 is also what a hub answers about models that do not exist, lest one could tell them from
/// private ones.
absl::Status HubClient::Refusal(const HttpResponse& response) const {
  const std::string token = token_.empty()
                                ? "set HF_TOKEN to a token that may read it"
                                : "the token of HF_TOKEN, or of its file, may not read it";
  if (response.Header("x-error-code") == "GatedRepo") {
    return absl::PermissionDeniedError(fmt::format(
        "{}: a gated model: its terms must be accepted at {}/{}; {}", id_, endpoint_, id_, token));
  }
  if (response.status == 401) {
    return absl::PermissionDeniedError(
        fmt::format("{}: no such model at {}, or a private one: {}", id_, endpoint_, token));
  }
  const std::string_view reason = response.Header("x-error-message");
  return absl::PermissionDeniedError(fmt::format("{}: {} forbids it{}{}; {}", id_, endpoint_,
                                                 reason.empty() ? "" : ": ", Printable(reason),
                                                 token));
}

std::string HubClient::FileUrl(const std::string& commit, const std::string& file) const {
  std::string url = fmt::format("{}/{}/resolve/{}", endpoint_, id_, commit);
  for (std::size_t begin = 0; begin != std::string::npos;) {
    const std::size_t slash = file.find('/', begin);
    url += '/' + http_.Escape(std::string_view(file).substr(begin, slash - begin));
    begin = slash == std::string::npos ? slash : slash + 1;
  }
  return url;
}

}  // namespace hub
