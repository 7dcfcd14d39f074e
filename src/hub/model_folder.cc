#include "hub/model_folder.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "common/json.h"
#include "hub/dimensions.h"
#include "hub/fingerprint.h"
#include "hub/limits.h"
#include "hub/modules.h"
#include "hub/pooling.h"
#include "hub/prompts.h"
#include "hub/read_config.h"
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
  if (fs::is_symlink(fs::symlink_status(path, error))) {
    return absl::NotFoundError(fmt::format("{}: broken link", path.string()));
  }
  return absl::NotFoundError(
      fmt::format("{}: no such folder; expected a model folder with config.json (models are not "
                  "downloaded by id yet)",
                  path.string()));
}

/// "models/all-MiniLM/" and "." have names too.
std::string FolderName(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

absl::Status CheckPoolingFlag(const ModelFolder& model) {
  for (const std::string& architecture : model.architectures) {
    if (architecture.ends_with("ForSequenceClassification")) {
      return model.config.Error(
          "architectures",
          fmt::format("{} gives scores, not vectors: --pooling does not apply", architecture));
    }
  }
  return absl::OkStatus();
}

/// The flag, else the Pooling module's file, else the mean.
absl::Status DecidePooling(const std::optional<Modules>& modules, std::optional<PoolingMode> flag,
                           ModelFolder& model) {
  if (modules && modules->pooling_path) {
    const std::string name = (fs::path(*modules->pooling_path) / "config.json").string();
    ASSIGN_OR_RETURN(const std::optional<Config> config, ReadConfigIfThere(model.path, name));
    if (!config && !flag) {
      return absl::NotFoundError(
          fmt::format("{}: file not found, though modules.json names its folder; --pooling chooses "
                      "a mode without it",
                      name));
    }
    if (config) {
      ASSIGN_OR_RETURN(const std::optional<int64_t> hidden_size, HiddenSize(model.config));
      ASSIGN_OR_RETURN(model.pooling, ReadPooling(*config, hidden_size));
    }
  } else {
    model.pooling.modes = {PoolingMode::kMean};
    model.pooling_is_default = !flag;
  }
  if (!flag) return absl::OkStatus();
  model.pooling.modes = {*flag};
  return CheckPoolingFlag(model);
}

absl::Status ReadFingerprint(const fs::path& folder, ModelFolder& model) {
  ASSIGN_OR_RETURN(std::string config_bytes, common::ReadFile(folder / "config.json"));
  std::string settings =
      fmt::format("max_length={} lower_case={} normalize={} include_prompt={}", model.max_length,
                  model.lower_case, model.normalize, model.pooling.include_prompt);
  for (PoolingMode mode : model.pooling.modes) {
    settings += fmt::format(" pooling={}", PoolingModeName(mode));
  }
  std::vector<std::string> files = {std::move(config_bytes)};
  for (const fs::path& file : model.tokenizer_files) {
    ASSIGN_OR_RETURN(files.emplace_back(), common::ReadFile(file));
  }
  files.push_back(std::move(settings));
  model.fingerprint = Fingerprint({files.begin(), files.end()});
  return absl::OkStatus();
}

absl::Status ReadConfigJson(const fs::path& folder, ModelFolder& model) {
  ASSIGN_OR_RETURN(model.config, ReadConfig(folder, "config.json"));
  ASSIGN_OR_RETURN(model.model_type, model.config.String("model_type"));
  ASSIGN_OR_RETURN(model.architectures, model.config.Strings("architectures"));
  return CheckHeads(model.config);
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
  ASSIGN_OR_RETURN(const std::optional<Modules> modules, ReadModules(path));
  // Old repositories keep the model's own files in a folder of their own, "0_Transformer".
  const fs::path folder = modules ? path / modules->transformer_path : path;
  RETURN_IF_ERROR(ReadConfigJson(folder, model));
  model.normalize = modules && modules->normalize;
  RETURN_IF_ERROR(DecidePooling(modules, options.pooling, model));
  RETURN_IF_ERROR(ReadLimits(folder, options.max_length, model));
  RETURN_IF_ERROR(ReadPromptFile(model));
  model.tokenizer_folder = folder;
  model.tokenizer_files = FindTokenizerFiles(folder);
  RETURN_IF_ERROR(ReadFingerprint(folder, model));
  RETURN_IF_ERROR(ReadWeightFiles(folder, options.weights_required, model));
  return model;
}

}  // namespace hub
