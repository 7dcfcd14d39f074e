#pragma once

#include <optional>
#include <string_view>

#include "common/status.h"

namespace hub {

/// What a model is for; it decides which routes serve it.
enum class Task {
  kEmbedding,       ///< Vectors: dense, sparse, of each token.
  kClassification,  ///< Scores of labels.
  kReranking,       ///< One score for a query and a document.
};

/// "embed", "classify", "rerank": as flags, /info and inspect write it.
const char* TaskName(Task task);

/// One of those names, or "auto": nothing, the folder decides.
absl::StatusOr<std::optional<Task>> ParseTask(std::string_view name);

}  // namespace hub
