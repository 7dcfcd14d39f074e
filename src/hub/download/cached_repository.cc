#include "hub/download/cached_repository.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/ascii.h"
#include "common/file.h"
#include "hub/download/file_error.h"
#include "hub/download/hub_id.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

bool IsThere(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string FolderName(std::string_view id) {
  const std::size_t slash = id.find('/');
  if (slash == std::string_view::npos) return fmt::format("models--{}", id);
  return fmt::format("models--{}--{}", id.substr(0, slash), id.substr(slash + 1));
}

}  // namespace

absl::Status MakeParent(const fs::path& file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  return error ? FileError(file.parent_path(), "made", error.value()) : absl::OkStatus();
}

CachedRepository::CachedRepository(fs::path cache, std::string_view id)
    : cache_(std::move(cache)), name_(FolderName(id)) {}

fs::path CachedRepository::Snapshot(std::string_view commit) const {
  return cache_ / name_ / "snapshots" / commit;
}

fs::path CachedRepository::Blob(std::string_view etag) const {
  return cache_ / name_ / "blobs" / etag;
}

fs::path CachedRepository::Lock(std::string_view etag) const {
  return cache_ / ".locks" / name_ / fmt::format("{}.lock", etag);
}

std::optional<std::string> CachedRepository::CommitOf(const std::string& revision) const {
  absl::StatusOr<std::string> ref = common::ReadFile(cache_ / name_ / "refs" / revision, 256);
  std::string commit = ref.ok() ? *std::move(ref) : revision;
  absl::StripAsciiWhitespace(&commit);
  if (!IsCommit(commit)) return std::nullopt;
  return commit;
}

std::vector<std::string> CachedRepository::Files(std::string_view commit) const {
  const fs::path snapshot = Snapshot(commit);
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(snapshot, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) continue;
    files.push_back(entry->path().lexically_relative(snapshot).generic_string());
  }
  return files;
}

absl::Status CachedRepository::Link(std::string_view etag, std::string_view commit,
                                    const std::string& file) const {
  const fs::path link = Snapshot(commit) / file;
  RETURN_IF_ERROR(MakeParent(link));
  const fs::path target = Blob(etag).lexically_relative(link.parent_path());
  for (bool again = false;; again = true) {
    if (::symlink(target.c_str(), link.c_str()) == 0) return absl::OkStatus();
    const int error = errno;
    if (IsThere(link)) return absl::OkStatus();
    if (error != EEXIST || again) return FileError(link, "linked to its blob", error);
    ::unlink(link.c_str());
  }
}

absl::Status CachedRepository::WriteRef(const std::string& revision,
                                        const std::string& commit) const {
  if (CommitOf(revision) == commit) return absl::OkStatus();
  const fs::path ref = cache_ / name_ / "refs" / revision;
  RETURN_IF_ERROR(MakeParent(ref));
  // Readers see the old commit or the new one, whole.
  const fs::path draft = fmt::format("{}.{}.tmp", ref.string(), ::getpid());
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return FileError(draft, "made", errno);
  const bool written =
      ::write(file, commit.data(), commit.size()) == static_cast<ssize_t>(commit.size());
  const int error = errno;
  ::close(file);
  if (written && ::rename(draft.c_str(), ref.c_str()) == 0) return absl::OkStatus();
  absl::Status status = FileError(ref, "written", written ? errno : error);
  ::unlink(draft.c_str());
  return status;
}

}  // namespace hub
