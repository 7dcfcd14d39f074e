#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/status.h"

namespace hub {

/// What modules.json says runs after the tokenizer, in the one order that is supported:
/// Transformer, then Pooling, then Normalize, the latter two optional.
struct Modules {
  std::string transformer_path;             ///< Below the folder; "" is the folder itself.
  std::optional<std::string> pooling_path;  ///< Below the folder, e.g. "1_Pooling".
  bool normalize = false;
};

/// Nothing if there is no modules.json: a plain transformers model. A module is known by the last
/// component of its type, since releases of sentence-transformers have moved the classes; one that
/// is not known is refused by name, never skipped.
absl::StatusOr<std::optional<Modules>> ReadModules(const std::filesystem::path& folder);

}  // namespace hub
