#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "common/status.h"
#include "hub/config.h"

namespace hub {

/// Where `relative` (a path that a file of the folder gives, hence foreign) lies below `folder`.
/// InvalidArgument, starting with `said_by`, if it is absolute or leads out of the folder by "..";
/// links inside the folder may lead anywhere.
absl::StatusOr<std::filesystem::path> PathInside(const std::filesystem::path& folder,
                                                 std::string_view relative,
                                                 std::string_view said_by);

/// The JSON object in folder/name; errors name it as written in `name` ("1_Pooling/config.json").
absl::StatusOr<Config> ReadConfig(const std::filesystem::path& folder, std::string_view name);

/// As ReadConfig; nothing if there is no such file. A broken link is an error.
absl::StatusOr<std::optional<Config>> ReadConfigIfThere(const std::filesystem::path& folder,
                                                        std::string_view name);

}  // namespace hub
