#include "hub/task.h"

#include <fmt/format.h>

namespace hub {

const char* TaskName(Task task) {
  switch (task) {
    case Task::kEmbedding:
      return "embed";
    case Task::kClassification:
      return "classify";
    case Task::kReranking:
      return "rerank";
  }
  return "unknown";
}

absl::StatusOr<std::optional<Task>> ParseTask(std::string_view name) {
  if (name == "auto") return std::nullopt;
  for (const Task task : {Task::kEmbedding, Task::kClassification, Task::kReranking}) {
    if (name == TaskName(task)) return task;
  }
  return absl::InvalidArgumentError(
      fmt::format("task: unknown \"{}\", expected auto, embed, classify or rerank", name));
}

}  // namespace hub
