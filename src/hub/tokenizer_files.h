#pragma once

#include <filesystem>
#include <vector>

namespace hub {

/// tokenizer.json or, where `folder` has none, those of the other files that a tokenizer can be
/// read from that it has. Broken links are among them.
std::vector<std::filesystem::path> FindTokenizerFiles(const std::filesystem::path& folder);

}  // namespace hub
