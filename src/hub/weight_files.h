#pragma once

#include <filesystem>
#include <vector>

#include "common/status.h"

namespace hub {

/// The shards that model.safetensors.index.json names, sorted, or model.safetensors. Each is there
/// and a file (links are followed); none is opened. NotFound if the folder has neither. A shard
/// name that leaves the folder is refused, not followed.
absl::StatusOr<std::vector<std::filesystem::path>> FindWeightFiles(
    const std::filesystem::path& folder);

}  // namespace hub
