#include "hub/download/snapshot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "common/json.h"
#include "common/log.h"
#include "hub/config.h"
#include "hub/download/blob_download.h"
#include "hub/download/file_choice.h"
#include "hub/download/hub_id.h"
#include "hub/download/progress.h"
#include "hub/read_config.h"
#include "hub/weight_files.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

/// Where the modules of a sentence-transformers pipeline stand; the model's own folder alone
/// without one. What is wrong with modules.json is for those to say who read all of it.
std::vector<std::string> ModuleFolders(const fs::path& snapshot) {
  const absl::StatusOr<nlohmann::json> json = common::ReadJsonFile(snapshot / "modules.json");
  if (!json.ok() || !json->is_array()) return {""};
  std::vector<std::string> folders;
  for (const nlohmann::json& module : *json) {
    if (!module.is_object()) continue;
    const auto path = module.find("path");
    std::string folder = path == module.end() || !path->is_string() ? "" : path->get<std::string>();
    while (folder.ends_with('/')) folder.pop_back();
    if (folder.empty() || IsNameInside(folder)) folders.push_back(std::move(folder));
  }
  return folders;
}

/// The files that an index names.
absl::StatusOr<std::vector<std::string>> ReadIndex(const fs::path& snapshot,
                                                   const std::string& index) {
  ASSIGN_OR_RETURN(const Config config, ReadConfig(snapshot, index));
  ASSIGN_OR_RETURN(const std::set<std::string> names, ReadWeightMap(config));
  const std::string folder = fs::path(index).parent_path().string();
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (!IsNameInside(name)) {
      return config.Error("weight_map", fmt::format("\"{}\" leaves the model folder", name));
    }
    files.push_back(Below(folder, name));
  }
  return files;
}

absl::Status DownloadAll(const DownloadContext& context, const std::vector<std::string>& files) {
  for (const std::string& file : files) RETURN_IF_ERROR(DownloadFile(context, file));
  return absl::OkStatus();
}

/// Settings before weights: where the weights are, all is.
absl::Status DownloadNeeded(const DownloadContext& context, const std::vector<std::string>& listed,
                            bool weights) {
  RETURN_IF_ERROR(DownloadAll(context, SettingsFiles(listed, "")));
  const fs::path snapshot = context.cache.Snapshot(context.commit);
  std::vector<std::string> folders = ModuleFolders(snapshot);
  for (const std::string& folder : folders) {
    RETURN_IF_ERROR(DownloadAll(context, SettingsFiles(listed, folder)));
  }
  if (!weights) return absl::OkStatus();
  RETURN_IF_ERROR(DownloadAll(context, HeadFiles(listed)));
  // The first module is the model itself, the largest: it comes last.
  std::reverse(folders.begin(), folders.end());
  for (const std::string& folder : folders) {
    const std::string file = WeightFile(listed, folder);
    if (file.empty()) continue;
    RETURN_IF_ERROR(DownloadFile(context, file));
    if (!IsWeightIndex(file)) continue;
    ASSIGN_OR_RETURN(const std::vector<std::string> shards, ReadIndex(snapshot, file));
    RETURN_IF_ERROR(DownloadAll(context, shards));
  }
  return absl::OkStatus();
}

/// The first file that a snapshot lacks to be used; empty if there is none.
absl::StatusOr<std::string> Missing(const fs::path& snapshot, const std::vector<std::string>& there,
                                    bool weights) {
  const auto has = [&](const std::string& file) {
    return std::find(there.begin(), there.end(), file) != there.end();
  };
  const std::vector<std::string> folders = ModuleFolders(snapshot);
  const std::string folder = folders.empty() ? "" : folders.front();
  if (std::string config = Below(folder, "config.json"); !has(config)) return config;
  if (!weights) return "";
  const std::string file = WeightFile(there, folder);
  if (file.empty()) return Below(folder, "model.safetensors");
  if (!IsWeightIndex(file)) return "";
  ASSIGN_OR_RETURN(const std::vector<std::string> shards, ReadIndex(snapshot, file));
  const auto shard = std::find_if_not(shards.begin(), shards.end(), has);
  return shard == shards.end() ? "" : *shard;
}

}  // namespace

absl::StatusOr<fs::path> DownloadSnapshot(const SnapshotRequest& request,
                                          const CachedRepository& cache, HubClient& hub,
                                          int attempts) {
  ASSIGN_OR_RETURN(const RepositoryListing listing, hub.List(request.revision, attempts));
  Progress progress(::isatty(STDERR_FILENO) != 0);
  const DownloadContext context = {
      .hub = hub, .cache = cache, .progress = progress, .id = request.id, .commit = listing.commit};
  RETURN_IF_ERROR(DownloadNeeded(context, listing.files, request.weights));
  const absl::Status ref = cache.WriteRef(request.revision, listing.commit);
  if (!ref.ok()) {
    spdlog::warn("{}; {} is not found without the network", std::string(ref.message()), request.id);
  }
  return cache.Snapshot(listing.commit);
}

absl::StatusOr<fs::path> CachedSnapshot(const SnapshotRequest& request,
                                        const CachedRepository& cache) {
  const std::optional<std::string> commit = cache.CommitOf(request.revision);
  const std::vector<std::string> there = commit ? cache.Files(*commit) : std::vector<std::string>();
  if (there.empty()) {
    return absl::NotFoundError(fmt::format("the cache {} has no revision {} of it",
                                           cache.root().string(), request.revision));
  }
  fs::path snapshot = cache.Snapshot(*commit);
  ASSIGN_OR_RETURN(const std::string missing, Missing(snapshot, there, request.weights));
  if (missing.empty()) return snapshot;
  return absl::NotFoundError(
      fmt::format("what the cache has of it, {}, lacks {}", snapshot.string(), missing));
}

}  // namespace hub
