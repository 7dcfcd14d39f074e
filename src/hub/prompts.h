#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "common/status.h"

namespace hub {

struct Prompts {
  std::map<std::string, std::string> texts;  ///< Name → what is put in front of a text.
  std::optional<std::string> default_name;   ///< A key of `texts`.
};

/// config_sentence_transformers.json; without it there are none.
absl::StatusOr<Prompts> ReadPrompts(const std::filesystem::path& folder);

}  // namespace hub
