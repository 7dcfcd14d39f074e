#include "hub/read_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/file.h"
#include "common/json.h"

namespace hub {
namespace fs = std::filesystem;

absl::StatusOr<fs::path> PathInside(const fs::path& folder, std::string_view relative,
                                    std::string_view said_by) {
  const fs::path path = fs::path(relative).lexically_normal();
  if (path.is_absolute() || (!path.empty() && *path.begin() == "..")) {
    return absl::InvalidArgumentError(
        fmt::format("{}: \"{}\" leaves the model folder", said_by, relative));
  }
  return relative.empty() ? folder : folder / path;
}

absl::StatusOr<Config> ReadConfig(const fs::path& folder, std::string_view name) {
  const absl::StatusOr<std::string> bytes = common::ReadFile(folder / name);
  if (!bytes.ok()) {
    // ReadFile knows the last component only; "1_Pooling/config.json" says more.
    const fs::path parent = fs::path(name).parent_path();
    if (parent.empty()) return bytes.status();
    return absl::Status(bytes.status().code(), fmt::format("{}/{}", parent.string(),
                                                           std::string(bytes.status().message())));
  }
  ASSIGN_OR_RETURN(nlohmann::json json, common::ParseJson(*bytes, name));
  if (!json.is_object()) {
    return absl::InvalidArgumentError(fmt::format("{}: expected a JSON object", name));
  }
  return Config(std::move(json), std::string(name));
}

absl::StatusOr<std::optional<Config>> ReadConfigIfThere(const fs::path& folder,
                                                        std::string_view name) {
  std::error_code error;
  if (fs::symlink_status(folder / name, error).type() == fs::file_type::not_found) {
    return std::nullopt;
  }
  ASSIGN_OR_RETURN(Config config, ReadConfig(folder, name));
  return config;
}

}  // namespace hub
