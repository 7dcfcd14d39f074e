#pragma once

#include <string>

#include "common/status.h"
#include "hub/download/cached_repository.h"
#include "hub/download/hub_client.h"
#include "hub/download/progress.h"

namespace hub {

/// What one download works with.
struct DownloadContext {
  HubClient& hub;
  const CachedRepository& cache;
  Progress& progress;
  std::string id;
  std::string commit;
};

/// Brings `file` into the snapshot of the commit unless it is there: resumes what an earlier
/// attempt left, checks size and digest, and links the blob. Holds the blob's lock meanwhile.
/// DataLoss: the bytes are not those that the hub names. ResourceExhausted: no room. HubClient's
/// errors.
absl::Status DownloadFile(const DownloadContext& context, const std::string& file);

}  // namespace hub
