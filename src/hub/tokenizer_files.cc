#include "hub/tokenizer_files.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "hub/file_names.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

bool IsThere(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

}  // namespace

std::vector<fs::path> FindTokenizerFiles(const fs::path& folder) {
  if (fs::path whole = folder / "tokenizer.json"; IsThere(whole)) return {std::move(whole)};
  std::vector<fs::path> files;
  const auto add = [&](std::string_view name) {
    if (fs::path file = folder / name; IsThere(file)) files.push_back(std::move(file));
  };
  add("tokenizer_config.json");
  std::for_each(kVocabularyFiles.begin(), kVocabularyFiles.end(), add);
  return files;
}

}  // namespace hub
