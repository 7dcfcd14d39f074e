#include "hub/read_scores.h"

#include <fmt/format.h>

#include "hub/decide_task.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

absl::Status ReadLogits(const fs::path& folder, const std::optional<Modules>& modules,
                        ModelFolder& model) {
  if (modules && modules->logit_score_path) {
    ASSIGN_OR_RETURN(model.logit_score, ReadLogitScore(model.path, *modules->logit_score_path));
  } else {
    ASSIGN_OR_RETURN(model.logit_score, FindYesAndNo(folder));
  }
  model.classifier.emplace().labels = {"LABEL_0"};
  ASSIGN_OR_RETURN(model.classifier->activation, ReadScoreActivation(model.config, 1));
  return absl::OkStatus();
}

absl::Status ReadLabels(ModelFolder& model) {
  ASSIGN_OR_RETURN(model.classifier, ReadClassifier(model.config));
  if (model.task != Task::kReranking || model.classifier->labels.size() == 1) {
    return absl::OkStatus();
  }
  return model.config.Error("id2label", fmt::format("expected one label for --task rerank, got {}",
                                                    model.classifier->labels.size()));
}

absl::Status ChooseTemplate(const std::string& choice, ModelFolder& model) {
  if (choice == "none") return absl::OkStatus();
  if (choice == "auto") {
    const bool is_qwen3 = model.task == Task::kReranking && model.model_type == "qwen3";
    if (is_qwen3 && (model.logit_score || IsNamedReranker(model))) {
      model.rerank_template = Qwen3RerankTemplate();
    }
    return absl::OkStatus();
  }
  if (model.task != Task::kReranking) {
    return absl::InvalidArgumentError(
        fmt::format("--rerank-template: applies to rerankers only, {} is for the task {}",
                    model.name, TaskName(model.task)));
  }
  if (choice == "qwen3") {
    model.rerank_template = Qwen3RerankTemplate();
    return absl::OkStatus();
  }
  absl::StatusOr<RerankTemplate> from_file = ReadRerankTemplate(choice);
  if (!from_file.ok()) {
    return absl::Status(from_file.status().code(),
                        fmt::format("--rerank-template: {}; expected auto, none, qwen3 or a file",
                                    std::string(from_file.status().message())));
  }
  model.rerank_template = *std::move(from_file);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadScores(const fs::path& folder, const std::optional<Modules>& modules,
                        const std::string& template_choice, ModelFolder& model) {
  if (model.task != Task::kEmbedding) {
    const bool of_logits = (modules && modules->logit_score_path) ||
                           FindArchitecture(model, "ForSequenceClassification").empty();
    RETURN_IF_ERROR(of_logits ? ReadLogits(folder, modules, model) : ReadLabels(model));
  }
  return ChooseTemplate(template_choice, model);
}

}  // namespace hub
