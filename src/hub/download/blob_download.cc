#include "hub/download/blob_download.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "hub/download/digest.h"
#include "hub/download/file_lock.h"
#include "hub/download/partial_file.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

/// Appends an answer's body to the partial file.
class BlobSink final : public BodySink {
 public:
  BlobSink(PartialFile& file, std::string_view name, const FileDescription& expected,
           Progress& progress)
      : file_(file), name_(name), expected_(expected), progress_(progress) {}

  int64_t size() const override { return file_.size(); }

  absl::Status Begin(const HttpResponse& response) override {
    if (file_.size() == 0) return absl::OkStatus();
    const std::string range = fmt::format("bytes {}-", file_.size());
    if (response.status == 206 && response.Header("content-range").starts_with(range)) {
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(file_.Restart());
    if (response.status != 206) return absl::OkStatus();  // The server ignores ranges.
    return absl::UnavailableError(
        fmt::format("{}: the server sends another range than it was asked for", name_));
  }

  absl::Status Append(std::string_view bytes) override {
    const auto after = file_.size() + static_cast<int64_t>(bytes.size());
    if (expected_.size && after > *expected_.size) {
      RETURN_IF_ERROR(file_.Restart());
      return absl::DataLossError(fmt::format(
          "{}: the server sends more than the {} bytes it announced", name_, *expected_.size));
    }
    RETURN_IF_ERROR(file_.Append(bytes));
    progress_.Update(file_.size());
    return absl::OkStatus();
  }

 private:
  PartialFile& file_;
  std::string_view name_;
  const FileDescription& expected_;
  Progress& progress_;
};

/// DataLoss if the bytes are not those that the hub names; they are gone then.
absl::Status Check(const DownloadContext& context, const std::string& file,
                   const FileDescription& expected, PartialFile& partial) {
  std::string problem;
  const std::optional<DigestKind> kind = DigestKindOf(expected.etag);
  if (expected.size && partial.size() != *expected.size) {
    problem = fmt::format("expected {} bytes, got {}", *expected.size, partial.size());
  } else if (kind) {
    ASSIGN_OR_RETURN(const std::string digest, FileDigest(partial.name(), *kind));
    if (digest == absl::AsciiStrToLower(expected.etag)) return absl::OkStatus();
    problem =
        fmt::format("expected {} {}, got {}",
                    *kind == DigestKind::kSha256 ? "sha256" : "git's sha1", expected.etag, digest);
  } else {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(partial.Restart());
  return absl::DataLossError(
      fmt::format("{}: {}: the download is damaged: {}", context.id, file, problem));
}

absl::Status Fetch(const DownloadContext& context, const std::string& file,
                   const FileDescription& expected, PartialFile& partial) {
  if (expected.size) RETURN_IF_ERROR(partial.ExpectRoom(*expected.size - partial.size()));
  if (!expected.size || partial.size() < *expected.size) {
    context.progress.Begin(file, partial.size(), expected.size);
    BlobSink sink(partial, file, expected, context.progress);
    const absl::Status status = context.hub.Read(context.commit, file, sink);
    context.progress.End();
    RETURN_IF_ERROR(status);
  }
  return Check(context, file, expected, partial);
}

absl::Status DownloadBlob(const DownloadContext& context, const std::string& file,
                          const FileDescription& expected) {
  ASSIGN_OR_RETURN(PartialFile partial, PartialFile::Open(context.cache.Blob(expected.etag)));
  // Where it cannot be told how much is missing, everything is.
  if (!expected.size || partial.size() > *expected.size) RETURN_IF_ERROR(partial.Restart());
  const bool resumed = partial.size() > 0;
  absl::Status status = Fetch(context, file, expected, partial);
  // What another process left may be at fault.
  if (absl::IsDataLoss(status) && resumed) status = Fetch(context, file, expected, partial);
  std::error_code ignored;  // What stays is checked, and found wrong, by the next attempt.
  if (absl::IsDataLoss(status)) fs::remove(partial.name(), ignored);
  RETURN_IF_ERROR(status);
  return partial.Finish();
}

}  // namespace

absl::Status DownloadFile(const DownloadContext& context, const std::string& file) {
  std::error_code error;
  if (fs::exists(context.cache.Snapshot(context.commit) / file, error)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const FileDescription expected, context.hub.Describe(context.commit, file));
  ASSIGN_OR_RETURN(const FileLock lock, FileLock::Take(context.cache.Lock(expected.etag),
                                                       fmt::format("{}: {}", context.id, file)));
  // Whoever held the lock may have brought it.
  if (!fs::exists(context.cache.Blob(expected.etag), error)) {
    RETURN_IF_ERROR(DownloadBlob(context, file, expected));
  }
  return context.cache.Link(expected.etag, context.commit, file);
}

}  // namespace hub
