#include "hub/tokenizer_files.h"

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
  for (const char* name : {"tokenizer_config.json", "vocab.txt", "vocab.json", "merges.txt",
                           "sentencepiece.bpe.model", "spiece.model", "tokenizer.model"}) {
    if (fs::path file = folder / name; IsThere(file)) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace hub
