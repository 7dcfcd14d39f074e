#include "hub/decide_task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace hub {
namespace {

constexpr std::string_view kClassifierSuffix = "ForSequenceClassification";
constexpr std::string_view kLanguageModel = "Qwen3ForCausalLM";

void Decide(Task task, std::string source, ModelFolder& model) {
  model.task = task;
  model.task_source = std::move(source);
}

/// What modules.json says of it; nothing for a Transformer alone.
std::optional<Task> TaskOfModules(const std::optional<Modules>& modules) {
  if (!modules) return std::nullopt;
  if (modules->logit_score_path) return Task::kReranking;
  if (modules->splade_path || modules->pooling_path || !modules->dense_paths.empty()) {
    return Task::kEmbedding;
  }
  return std::nullopt;
}

/// One label ranks, several classify.
absl::Status DecideByLabels(std::string_view architecture, ModelFolder& model) {
  ASSIGN_OR_RETURN(const Classifier classifier, ReadClassifier(model.config));
  const std::size_t labels = classifier.labels.size();
  Decide(labels == 1 ? Task::kReranking : Task::kClassification,
         fmt::format("config.json: architectures: {} with {} {}", architecture, labels,
                     labels == 1 ? "label" : "labels"),
         model);
  return absl::OkStatus();
}

absl::Status DecideByFlag(const std::optional<Modules>& modules, Task task, ModelFolder& model) {
  Decide(task, "--task", model);
  if (task == Task::kEmbedding) return absl::OkStatus();
  const bool has_classifier = !FindArchitecture(model, kClassifierSuffix).empty();
  const bool has_logits =
      (modules && modules->logit_score_path) || !FindArchitecture(model, kLanguageModel).empty();
  if (has_classifier || (has_logits && task == Task::kReranking)) return absl::OkStatus();
  return model.config.Error("architectures",
                            fmt::format("{} has no classifier: --task {} does not apply",
                                        fmt::join(model.architectures, ", "), TaskName(task)));
}

}  // namespace

std::string_view FindArchitecture(const ModelFolder& model, std::string_view suffix) {
  const auto found =
      std::find_if(model.architectures.begin(), model.architectures.end(),
                   [&](const std::string& architecture) { return architecture.ends_with(suffix); });
  return found == model.architectures.end() ? std::string_view() : *found;
}

bool IsNamedReranker(const ModelFolder& model) {
  std::string names = model.path.string() + "/" + model.name;
  std::transform(names.begin(), names.end(), names.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return names.find("reranker") != names.npos;
}

absl::Status DecideTask(const std::optional<Modules>& modules, std::optional<Task> flag,
                        ModelFolder& model) {
  if (flag) return DecideByFlag(modules, *flag, model);
  if (const std::optional<Task> task = TaskOfModules(modules)) {
    Decide(*task, "modules.json", model);
    return absl::OkStatus();
  }
  if (const auto classifier = FindArchitecture(model, kClassifierSuffix); !classifier.empty()) {
    return DecideByLabels(classifier, model);
  }
  if (!FindArchitecture(model, kLanguageModel).empty() && IsNamedReranker(model)) {
    Decide(Task::kReranking, fmt::format("{} and \"reranker\" in its path", kLanguageModel), model);
    return absl::OkStatus();
  }
  Decide(Task::kEmbedding, "config.json: architectures", model);
  return absl::OkStatus();
}

}  // namespace hub
