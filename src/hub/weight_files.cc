#include "hub/weight_files.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "hub/read_config.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexName = "model.safetensors.index.json";
constexpr std::string_view kFileName = "model.safetensors";

absl::Status CheckFile(const fs::path& file) {
  const std::string name = file.filename().string();
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_regular_file(status)) return absl::OkStatus();
  if (fs::exists(status)) {
    return absl::InvalidArgumentError(fmt::format("{}: not a file ({})", name, file.string()));
  }
  const bool broken_link = fs::is_symlink(fs::symlink_status(file, error));
  return broken_link
             ? absl::InvalidArgumentError(fmt::format("{}: broken link ({})", name, file.string()))
             : absl::NotFoundError(fmt::format("{}: file not found ({})", name, file.string()));
}

absl::StatusOr<std::vector<fs::path>> ReadIndex(const fs::path& folder, const Config& index) {
  ASSIGN_OR_RETURN(const auto weight_map, index.StringMap("weight_map"));
  std::set<std::string> names;
  for (const auto& [tensor, file] : weight_map) names.insert(file);
  if (names.empty()) return index.Error("weight_map", "expected the tensors and their files");
  std::vector<fs::path> files;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const fs::path file, PathInside(folder, name, kIndexName));
    const absl::Status there = CheckFile(file);
    if (!there.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: {}", kIndexName, std::string(there.message())));
    }
    files.push_back(file);
  }
  return files;
}

}  // namespace

absl::StatusOr<std::vector<fs::path>> FindWeightFiles(const fs::path& folder) {
  ASSIGN_OR_RETURN(const std::optional<Config> index, ReadConfigIfThere(folder, kIndexName));
  if (index) return ReadIndex(folder, *index);
  const absl::Status there = CheckFile(folder / kFileName);
  if (there.ok()) return std::vector<fs::path>{folder / kFileName};
  std::error_code error;
  if (!absl::IsNotFound(there) || !fs::exists(folder / "pytorch_model.bin", error)) return there;
  return absl::NotFoundError(
      fmt::format("{}; pytorch_model.bin is not read, save the model as safetensors",
                  std::string(there.message())));
}

}  // namespace hub
