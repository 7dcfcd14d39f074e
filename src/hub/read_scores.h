#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/status.h"
#include "hub/model_folder.h"
#include "hub/modules.h"

namespace hub {

/// Sets classifier, logit_score and rerank_template of `model`, whose task is decided, as far as
/// the task has them. `folder` holds config.json; `template_choice` is OpenOptions'.
absl::Status ReadScores(const std::filesystem::path& folder, const std::optional<Modules>& modules,
                        const std::string& template_choice, ModelFolder& model);

}  // namespace hub
