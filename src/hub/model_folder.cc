#include "hub/model_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "common/file.h"
#include "hub/decide_task.h"
#include "hub/fingerprint.h"
#include "hub/limits.h"
#include "hub/modules.h"
#include "hub/prompts.h"
#include "hub/read_config.h"
#include "hub/read_scores.h"
#include "hub/read_vectors.h"
#include "hub/tokenizer_files.h"
#include "hub/weight_files.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

absl::Status CheckFolder(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return absl::OkStatus();
  if (fs::exists(status)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: not a folder; expected a model folder with config.json", path.string()));
  }
  if (!fs::status_known(status)) {
    return absl::InvalidArgumentError(fmt::format("{}: {}", path.string(), error.message()));
  }
  if (fs::is_symlink(fs::symlink_status(path, error))) {
    return absl::NotFoundError(fmt::format("{}: broken link", path.string()));
  }
  return absl::NotFoundError(
      fmt::format("{}: no such folder; expected a model folder with config.json, or a hub id "
                  "(organisation/name)",
                  path.string()));
}

/// "models/all-MiniLM/" and "." have names too.
std::string FolderName(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

/// The settings that shape an answer, as one text of which every part counts.
std::string DescribeSettings(const ModelFolder& model) {
  std::string text = fmt::format(
      "max_length={} lower_case={} task={} outputs={} normalize={} include_prompt={} "
      "quantization={}",
      model.max_length, model.lower_case, TaskName(model.task),
      fmt::join(OutputNames(model.outputs), "+"), model.normalize, model.pooling.include_prompt,
      QuantizationName(model.quantization));
  for (const PoolingMode mode : model.pooling.modes) {
    text += fmt::format(" pooling={}", PoolingModeName(mode));
  }
  const auto add_dense = [&](const DenseModule& module) {
    text += fmt::format(" dense={}:{}:{}:{}", module.in_features, module.out_features, module.bias,
                        ActivationName(module.activation));
  };
  std::for_each(model.dense.begin(), model.dense.end(), add_dense);
  if (model.colbert_head) {
    text += fmt::format(" colbert={}", model.colbert_head->file.filename().string());
    std::for_each(model.colbert_head->dense.begin(), model.colbert_head->dense.end(), add_dense);
  }
  if (model.sparse_head) {
    text += fmt::format(" sparse={} without {}", model.sparse_head->file.filename().string(),
                        fmt::join(model.sparse_head->left_out_ids, ","));
  }
  if (model.splade) {
    text += fmt::format(" splade={}:{}", static_cast<int>(model.splade->pooling),
                        model.splade->log1p_twice);
  }
  if (model.classifier) {
    text += fmt::format(" activation={}", ScoreActivationName(model.classifier->activation));
  }
  if (model.logit_score) {
    text += fmt::format(" logits={}:{}", model.logit_score->true_token_id,
                        model.logit_score->false_token_id.value_or(-1));
  }
  return text;
}

absl::Status ReadFingerprint(const fs::path& folder, ModelFolder& model) {
  std::vector<std::string> parts;
  ASSIGN_OR_RETURN(parts.emplace_back(), common::ReadFile(folder / "config.json"));
  for (const fs::path& file : model.tokenizer_files) {
    ASSIGN_OR_RETURN(parts.emplace_back(), common::ReadFile(file));
  }
  parts.push_back(DescribeSettings(model));
  if (model.rerank_template) {
    const RerankTemplate& text = *model.rerank_template;
    parts.insert(parts.end(), {text.prefix, text.body, text.suffix, text.default_instruction});
  }
  model.fingerprint = Fingerprint({parts.begin(), parts.end()});
  return absl::OkStatus();
}

absl::Status ReadConfigJson(const fs::path& folder, ModelFolder& model) {
  ASSIGN_OR_RETURN(model.config, ReadConfig(folder, "config.json"));
  ASSIGN_OR_RETURN(model.model_type, model.config.String("model_type"));
  ASSIGN_OR_RETURN(model.architectures, model.config.Strings("architectures"));
  ASSIGN_OR_RETURN(model.shape, ReadModelShape(model.config));
  return absl::OkStatus();
}

absl::Status ReadLimits(const fs::path& folder, std::optional<int> flag, ModelFolder& model) {
  ASSIGN_OR_RETURN(const std::optional<Config> sentence_bert, ReadSentenceBertConfig(folder));
  if (sentence_bert) {
    ASSIGN_OR_RETURN(model.lower_case, sentence_bert->Bool("do_lower_case", false));
  }
  ASSIGN_OR_RETURN(LengthLimit limit, ReadLengthLimit(folder, model.config, sentence_bert, flag));
  model.max_length = limit.tokens;
  model.max_length_source = std::move(limit.source);
  return absl::OkStatus();
}

absl::Status ReadPromptFile(ModelFolder& model) {
  ASSIGN_OR_RETURN(Prompts prompts, ReadPrompts(model.path));
  model.prompts = std::move(prompts.texts);
  model.default_prompt_name = std::move(prompts.default_name);
  return absl::OkStatus();
}

absl::Status ReadWeightFiles(const fs::path& folder, bool required, ModelFolder& model) {
  absl::StatusOr<std::vector<fs::path>> files = FindWeightFiles(folder);
  if (absl::IsNotFound(files.status()) && !required) return absl::OkStatus();
  ASSIGN_OR_RETURN(model.weight_files, std::move(files));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ModelFolder> Open(const fs::path& path, const OpenOptions& options) {
  RETURN_IF_ERROR(CheckFolder(path));
  ModelFolder model;
  model.path = path;
  model.name = FolderName(path);
  ASSIGN_OR_RETURN(const std::optional<Modules> modules,
                   ReadModules(path, options.keep_unsupported));
  if (modules) model.unsupported = modules->unsupported;
  // Old repositories keep the model's own files in a folder of their own, "0_Transformer".
  const fs::path folder = modules ? path / modules->transformer_path : path;
  RETURN_IF_ERROR(ReadConfigJson(folder, model));
  RETURN_IF_ERROR(DecideTask(modules, options.task, model));
  RETURN_IF_ERROR(ReadScores(folder, modules, options.rerank_template, model));
  RETURN_IF_ERROR(ReadVectors(folder, modules, options, model));
  RETURN_IF_ERROR(ReadLimits(folder, options.max_length, model));
  RETURN_IF_ERROR(ReadPromptFile(model));
  model.tokenizer_folder = folder;
  model.tokenizer_files = FindTokenizerFiles(folder);
  RETURN_IF_ERROR(ReadFingerprint(folder, model));
  RETURN_IF_ERROR(ReadWeightFiles(folder, options.weights_required, model));
  return model;
}

}  // namespace hub
