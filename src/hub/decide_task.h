#pragma once

#include <optional>
#include <string_view>

#include "common/status.h"
#include "hub/model_folder.h"
#include "hub/modules.h"

namespace hub {

/// Sets task and task_source of `model`, whose path, config and architectures are read, by the rule
/// at Open. InvalidArgument if `flag` asks for scores of a model that gives none.
absl::Status DecideTask(const std::optional<Modules>& modules, std::optional<Task> flag,
                        ModelFolder& model);

/// The architecture that ends in `suffix`; empty if there is none.
std::string_view FindArchitecture(const ModelFolder& model, std::string_view suffix);

/// Whether the path of the folder, as it was given or by its last component, speaks of a reranker.
/// Language models that rerank have nothing else that tells them from those that embed.
bool IsNamedReranker(const ModelFolder& model);

}  // namespace hub
