#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace hub {

/// One model in the cache that all Hugging Face tools share, laid out as huggingface_hub does:
///
///   CACHE/models--ORG--NAME/blobs/ETAG                the bytes, written once
///   CACHE/models--ORG--NAME/snapshots/COMMIT/FILE     relative links to blobs
///   CACHE/models--ORG--NAME/refs/REVISION             the commit that REVISION was last seen at
///   CACHE/.locks/models--ORG--NAME/ETAG.lock          held while a blob is written
///
/// Files and revisions pass IsNameInside, etags hold no slash.
class CachedRepository {
 public:
  CachedRepository(std::filesystem::path cache, std::string_view id);

  const std::filesystem::path& root() const { return cache_; }
  std::filesystem::path Snapshot(std::string_view commit) const;
  std::filesystem::path Blob(std::string_view etag) const;
  std::filesystem::path Lock(std::string_view etag) const;

  /// The commit that `revision` is, or was last seen at; nothing if it was not.
  std::optional<std::string> CommitOf(const std::string& revision) const;
  /// The files of a snapshot whose blobs are there, as a hub lists them.
  std::vector<std::string> Files(std::string_view commit) const;

  /// Links `file` of the snapshot to the blob; replaces a link that leads nowhere.
  absl::Status Link(std::string_view etag, std::string_view commit, const std::string& file) const;
  /// Nothing is written if it says so already, or if `revision` is the commit itself.
  absl::Status WriteRef(const std::string& revision, const std::string& commit) const;

 private:
  std::filesystem::path cache_;
  std::string name_;  ///< models--ORG--NAME
};

/// Makes the folder that `file` is to stand in.
absl::Status MakeParent(const std::filesystem::path& file);

}  // namespace hub
