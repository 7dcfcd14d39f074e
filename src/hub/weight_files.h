#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "hub/config.h"

namespace hub {

/// The weight files of a model folder: those that model.safetensors.index.json names, sorted;
/// without an index, model.safetensors; without that, the same of pytorch_model.bin(.index.json).
/// NotFound, naming all four, if there is none of them; InvalidArgument for a broken link, a path
/// that leaves the folder, or a shard that is not there.
absl::StatusOr<std::vector<std::filesystem::path>> FindWeightFiles(
    const std::filesystem::path& folder);

/// The files that an index's weight_map names, of which there is at least one. Whether a name
/// leaves the folder is for the caller to see.
absl::StatusOr<std::set<std::string>> ReadWeightMap(const Config& index);

/// The first of `names` that `folder` has; a broken link is an error.
absl::StatusOr<std::optional<std::filesystem::path>> FindFirst(
    const std::filesystem::path& folder, std::span<const std::string_view> names);

/// A module's one weight file: model.safetensors, else pytorch_model.bin. `path` is the module's,
/// below `folder`, for messages. An empty path if there is none and none is `required`.
absl::StatusOr<std::filesystem::path> FindModuleWeights(const std::filesystem::path& folder,
                                                        std::string_view path, bool required);

}  // namespace hub
