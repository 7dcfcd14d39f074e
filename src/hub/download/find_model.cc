#include "hub/download/find_model.h"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>

#include "common/log.h"
#include "hub/download/cached_repository.h"
#include "hub/download/hub_client.h"
#include "hub/download/hub_id.h"
#include "hub/download/settings.h"
#include "hub/download/snapshot.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

constexpr int kListingAttempts = 5;

absl::Status With(const absl::Status& status, const std::string& message) {
  return {status.code(), message};
}

absl::StatusOr<fs::path> FindOffline(const SnapshotRequest& request,
                                     const CachedRepository& cache) {
  absl::StatusOr<fs::path> cached = CachedSnapshot(request, cache);
  if (cached.ok()) return cached;
  return With(cached.status(), fmt::format("{}: HF_HUB_OFFLINE is set, and {}", request.id,
                                           std::string(cached.status().message())));
}

absl::StatusOr<fs::path> FindOnline(const SnapshotRequest& request, const CachedRepository& cache,
                                    HubClient& hub) {
  // With something to fall back on, a start does not wait for a hub that may come back.
  const bool is_cached = CachedSnapshot(request, cache).ok();
  absl::StatusOr<fs::path> fresh =
      DownloadSnapshot(request, cache, hub, is_cached ? 1 : kListingAttempts);
  if (!absl::IsUnavailable(fresh.status()) || !is_cached) return fresh;
  absl::StatusOr<fs::path> cached = CachedSnapshot(request, cache);
  spdlog::warn("{}; taking what the cache has", std::string(fresh.status().message()));
  return cached;
}

}  // namespace

absl::StatusOr<FoundModel> FindModel(const std::string& argument, const FindModelOptions& options) {
  std::error_code error;
  const fs::file_type there = fs::symlink_status(argument, error).type();
  if (there != fs::file_type::not_found || !IsHubId(argument)) return FoundModel{argument, ""};
  if (!IsNameInside(options.revision)) {
    return absl::InvalidArgumentError(fmt::format(
        "--revision: expected a branch, a tag or a commit, got \"{}\"", options.revision));
  }
  ASSIGN_OR_RETURN(const HubSettings settings,
                   ReadHubSettings([](const char* name) { return std::getenv(name); }));
  const SnapshotRequest request = {
      .id = argument, .revision = options.revision, .weights = options.weights};
  const CachedRepository cache(settings.cache, argument);
  if (settings.offline) {
    ASSIGN_OR_RETURN(fs::path path, FindOffline(request, cache));
    return FoundModel{std::move(path), argument};
  }
  HubClient hub(settings, argument,
                {.user_agent = options.user_agent, .timeout = settings.timeout});
  absl::StatusOr<fs::path> path = FindOnline(request, cache, hub);
  if (absl::IsNotFound(path.status()) || absl::IsPermissionDenied(path.status())) {
    // A misspelt path looks like an id.
    return With(path.status(), fmt::format("{} (nor is there such a folder)",
                                           std::string(path.status().message())));
  }
  if (!path.ok()) return path.status();
  return FoundModel{*std::move(path), argument};
}

}  // namespace hub
