#include "hub/weight_files.h"

#include <fmt/format.h>

#include <array>

#include "common/file.h"
#include "hub/file_names.h"
#include "hub/read_config.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

absl::Status CheckFile(const fs::path& file) {
  const absl::Status status = common::CheckFile(file);
  std::error_code error;
  // A broken link is there: no other file is to be taken in its place.
  const bool broken = absl::IsNotFound(status) && fs::is_symlink(fs::symlink_status(file, error));
  return broken ? absl::InvalidArgumentError(status.message()) : status;
}

absl::StatusOr<std::vector<fs::path>> ReadIndex(const fs::path& folder, const Config& index) {
  ASSIGN_OR_RETURN(const std::set<std::string> names, ReadWeightMap(index));
  std::vector<fs::path> files;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const fs::path file, PathInside(folder, name, index.file_name()));
    const absl::Status there = CheckFile(file);
    if (!there.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: {}", index.file_name(), std::string(there.message())));
    }
    files.push_back(file);
  }
  return files;
}

}  // namespace

absl::StatusOr<std::set<std::string>> ReadWeightMap(const Config& index) {
  ASSIGN_OR_RETURN(const auto weight_map, index.StringMap("weight_map"));
  std::set<std::string> names;
  for (const auto& [tensor, file] : weight_map) names.insert(file);
  if (names.empty()) return index.Error("weight_map", "expected the tensors and their files");
  return names;
}

absl::StatusOr<std::optional<fs::path>> FindFirst(const fs::path& folder,
                                                  std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    fs::path file = folder / name;
    absl::Status there = CheckFile(file);
    if (there.ok()) return file;
    if (!absl::IsNotFound(there)) return there;
  }
  return std::nullopt;
}

absl::StatusOr<std::vector<fs::path>> FindWeightFiles(const fs::path& folder) {
  for (const WeightNames& names : kWeightFormats) {
    ASSIGN_OR_RETURN(const std::optional<Config> index, ReadConfigIfThere(folder, names.index));
    if (index) return ReadIndex(folder, *index);
    ASSIGN_OR_RETURN(const std::optional<fs::path> file, FindFirst(folder, {&names.file, 1}));
    if (file) return std::vector<fs::path>{*file};
  }
  return absl::NotFoundError(fmt::format(
      "{0}: file not found, nor {1}, {2} or {3} ({4})", kWeightFormats[0].file,
      kWeightFormats[0].index, kWeightFormats[1].file, kWeightFormats[1].index, folder.string()));
}

absl::StatusOr<fs::path> FindModuleWeights(const fs::path& folder, std::string_view path,
                                           bool required) {
  constexpr std::array kNames = {kWeightFormats[0].file, kWeightFormats[1].file};
  ASSIGN_OR_RETURN(const std::optional<fs::path> file, FindFirst(folder / path, kNames));
  if (file) return *file;
  if (!required) return fs::path();
  return absl::NotFoundError(
      fmt::format("{0}/{1}: file not found, nor {0}/{2}, though modules.json "
                  "names that folder",
                  path, kNames[0], kNames[1]));
}

}  // namespace hub
