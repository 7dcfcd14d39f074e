#include "hub/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "common/json.h"
#include "hub/read_config.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = "modules.json";

/// Modules run in the order of these stages; only Dense modules may follow their like.
enum class Stage { kTransformer, kPooling, kDense, kNormalize, kQuantizer, kSplade, kLogitScore };

struct Kind {
  std::string_view name;  ///< Last component of the type.
  Stage stage;
};
constexpr std::array kKinds = {
    Kind{"Transformer", Stage::kTransformer}, Kind{"MLMTransformer", Stage::kTransformer},
    Kind{"Pooling", Stage::kPooling},         Kind{"Dense", Stage::kDense},
    Kind{"Normalize", Stage::kNormalize},     Kind{"FlexibleQuantizer", Stage::kQuantizer},
    Kind{"SpladePooling", Stage::kSplade},    Kind{"LogitScore", Stage::kLogitScore}};

struct Module {
  std::string label;  ///< For messages: "modules.json: module 3 (sentence_transformers.…Twist)".
  Stage stage;
  std::string path;
};

absl::Status Refuse(std::string_view label, std::string_view problem) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", label, problem));
}

absl::StatusOr<Stage> FindStage(std::string_view type, std::string_view label) {
  const std::string_view name = type.substr(type.rfind('.') + 1);
  std::string known;
  for (const Kind& kind : kKinds) {
    if (name == kind.name) return kind.stage;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
  }
  return Refuse(label, fmt::format("unknown type, expected one of {}", known));
}

absl::StatusOr<Module> ReadModule(const nlohmann::json& json, std::size_t index) {
  const std::string where = fmt::format("{}: module {}", kFileName, index);
  if (!json.is_object()) return Refuse(where, "expected an object");
  const Config entry(json, where);
  ASSIGN_OR_RETURN(const std::string type, entry.String("type"));
  Module module = {.label = fmt::format("{} ({})", where, type), .stage = {}, .path = {}};
  ASSIGN_OR_RETURN(module.path, entry.String("path", ""));
  RETURN_IF_ERROR(PathInside("", module.path, module.label).status());
  ASSIGN_OR_RETURN(module.stage, FindStage(type, module.label));
  return module;
}

/// Since version 6 a Normalize module may have a file, which may point it at the tokens instead:
/// where there are no others but those of the tokens, that is what it normalises anyway.
absl::Status CheckNormalize(const fs::path& folder, const Module& module, bool of_tokens) {
  if (module.path.empty() || of_tokens) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<Config> config,
                   ReadConfigIfThere(folder, module.path + "/config.json"));
  if (!config) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string input,
                   config->String("module_input_name", "sentence_embedding"));
  if (input == "sentence_embedding") return absl::OkStatus();
  return config->Error("module_input_name",
                       fmt::format("expected sentence_embedding, got {}", input));
}

/// `last`: the stage of the module before, if any.
absl::Status CheckOrder(const Module& module, std::optional<Stage> last) {
  if (!last || module.stage == Stage::kTransformer) {
    if (!last && module.stage == Stage::kTransformer) return absl::OkStatus();
    return Refuse(module.label, last ? "expected as the first module only"
                                     : "expected a Transformer as the first module");
  }
  const bool is_alone = module.stage >= Stage::kSplade;
  const bool is_repeated = module.stage == Stage::kDense && last == Stage::kDense;
  if (is_alone ? *last == Stage::kTransformer : *last < module.stage || is_repeated) {
    return absl::OkStatus();
  }
  return Refuse(module.label,
                is_alone ? "expected straight after the Transformer"
                         : "expected Pooling, Dense modules, Normalize and FlexibleQuantizer in "
                           "this order");
}

/// The settings of all but these two stand in a file of a folder of their own.
absl::Status CheckPath(const Module& module) {
  const bool has_file = module.stage != Stage::kTransformer && module.stage != Stage::kNormalize &&
                        module.stage != Stage::kQuantizer;
  const fs::path path = fs::path(module.path).lexically_normal();
  if (!has_file || (!path.empty() && path != ".")) return absl::OkStatus();
  return Refuse(module.label, "path: expected the module's folder, got none");
}

absl::Status Add(const fs::path& folder, const Module& module, Modules& modules) {
  switch (module.stage) {
    case Stage::kTransformer:
      modules.transformer_path = module.path;
      break;
    case Stage::kPooling:
      modules.pooling_path = module.path;
      break;
    case Stage::kDense:
      modules.dense_paths.push_back(module.path);
      break;
    case Stage::kNormalize:
      modules.normalize = true;
      return CheckNormalize(folder, module, !modules.pooling_path && !modules.dense_paths.empty());
    case Stage::kQuantizer:
      modules.quantizer = true;
      break;
    case Stage::kSplade:
      modules.splade_path = module.path;
      break;
    case Stage::kLogitScore:
      modules.logit_score_path = module.path;
      break;
  }
  return absl::OkStatus();
}

/// One entry of the list, checked and added.
absl::Status ReadEntry(const fs::path& folder, const nlohmann::json& json, std::size_t index,
                       std::optional<Stage>& last, Modules& modules) {
  ASSIGN_OR_RETURN(const Module module, ReadModule(json, index));
  RETURN_IF_ERROR(CheckOrder(module, last));
  RETURN_IF_ERROR(CheckPath(module));
  last = module.stage;
  return Add(folder, module, modules);
}

}  // namespace

absl::StatusOr<std::optional<Modules>> ReadModules(const fs::path& folder, bool keep_unsupported) {
  std::error_code error;
  if (fs::symlink_status(folder / kFileName, error).type() == fs::file_type::not_found) {
    return std::nullopt;
  }
  ASSIGN_OR_RETURN(const nlohmann::json json, common::ReadJsonFile(folder / kFileName));
  if (!json.is_array() || json.empty()) {
    return absl::InvalidArgumentError(fmt::format("{}: expected a list of modules", kFileName));
  }
  Modules modules;
  std::optional<Stage> last;
  for (std::size_t i = 0; i < json.size(); ++i) {
    absl::Status status = ReadEntry(folder, json[i], i, last, modules);
    if (status.ok()) continue;
    if (!keep_unsupported) return status;
    modules.unsupported.emplace_back(status.message());
  }
  return modules;
}

}  // namespace hub
