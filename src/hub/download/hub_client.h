#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/status.h"
#include "hub/download/http_client.h"
#include "hub/download/settings.h"

namespace hub {

/// A model at one state of its history.
struct RepositoryListing {
  std::string commit;              ///< 40 hex digits.
  std::vector<std::string> files;  ///< Each passes IsNameInside.
};

/// What a hub says of a file without sending it.
struct FileDescription {
  std::string etag;             ///< Names the bytes; safe as a file's name.
  std::optional<int64_t> size;  ///< bytes
};

/// The questions that are asked of a hub (huggingface.co, or what speaks like it) about one model.
/// What fails for now is tried again, `attempts` times in a row. Errors name the model. NotFound:
/// no such model, revision or file. PermissionDenied: a private or gated one. Unavailable: no
/// answer, or 429 or 5xx, to the last attempt. InvalidArgument: an answer that is none of a hub.
/// FailedPrecondition: as HttpClient. One thread.
class HubClient {
 public:
  HubClient(const HubSettings& settings, std::string id, HttpClientOptions http);

  absl::StatusOr<RepositoryListing> List(const std::string& revision, int attempts);
  absl::StatusOr<FileDescription> Describe(const std::string& commit, const std::string& file);
  /// The bytes from sink.size() on. The sink sees each attempt.
  absl::Status Read(const std::string& commit, const std::string& file, BodySink& sink);

 private:
  absl::StatusOr<HttpResponse> Ask(HttpRequest request, const std::string& what, int attempts,
                                   BodySink& sink);
  absl::Status Judge(const HttpRequest& request, const HttpResponse& response,
                     const std::string& what) const;
  absl::Status Refusal(const HttpResponse& response) const;
  std::string FileUrl(const std::string& commit, const std::string& file) const;

  std::string endpoint_;
  std::string token_;
  std::string id_;
  HttpClient http_;
};

}  // namespace hub
