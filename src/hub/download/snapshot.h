#pragma once

#include <filesystem>
#include <string>

#include "common/status.h"
#include "hub/download/cached_repository.h"
#include "hub/download/hub_client.h"

namespace hub {

struct SnapshotRequest {
  std::string id;
  std::string revision;
  bool weights = true;
};

/// Downloads what the cache lacks of a model's needed files; the listing is asked for `attempts`
/// times. Writes the ref last: what it names was whole. Returns the snapshot's folder.
absl::StatusOr<std::filesystem::path> DownloadSnapshot(const SnapshotRequest& request,
                                                       const CachedRepository& cache,
                                                       HubClient& hub, int attempts);

/// The folder of the snapshot that the cache has of the revision. NotFound says what is missing.
absl::StatusOr<std::filesystem::path> CachedSnapshot(const SnapshotRequest& request,
                                                     const CachedRepository& cache);

}  // namespace hub
