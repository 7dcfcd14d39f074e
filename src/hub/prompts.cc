#include "hub/prompts.h"

#include <fmt/format.h>

#include "hub/read_config.h"

namespace hub {

absl::StatusOr<Prompts> ReadPrompts(const std::filesystem::path& folder) {
  Prompts prompts;
  ASSIGN_OR_RETURN(const std::optional<Config> config,
                   ReadConfigIfThere(folder, "config_sentence_transformers.json"));
  if (!config) return prompts;
  ASSIGN_OR_RETURN(prompts.texts, config->StringMap("prompts"));
  if (!config->Has("default_prompt_name")) return prompts;
  ASSIGN_OR_RETURN(prompts.default_name, config->String("default_prompt_name"));
  if (prompts.texts.contains(*prompts.default_name)) return prompts;
  return config->Error("default_prompt_name",
                       fmt::format("\"{}\" is not among the prompts", *prompts.default_name));
}

}  // namespace hub
