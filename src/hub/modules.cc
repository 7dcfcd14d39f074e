#include "hub/modules.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "common/json.h"
#include "hub/read_config.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = "modules.json";

struct Module {
  std::string label;  ///< For messages: "modules.json: module 3 (sentence_transformers.…Twist)".
  std::string kind;   ///< Last component of the type.
  std::string path;
};

absl::Status Refuse(const Module& module, std::string_view problem) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", module.label, problem));
}

absl::StatusOr<Module> ReadModule(const nlohmann::json& json, std::size_t index) {
  const std::string where = fmt::format("{}: module {}", kFileName, index);
  if (!json.is_object()) {
    return absl::InvalidArgumentError(fmt::format("{}: expected an object", where));
  }
  const Config entry(json, where);
  ASSIGN_OR_RETURN(const std::string type, entry.String("type"));
  ASSIGN_OR_RETURN(std::string path, entry.String("path", ""));
  Module module = {.label = fmt::format("{} ({})", where, type),
                   .kind = type.substr(type.rfind('.') + 1),
                   .path = std::move(path)};
  RETURN_IF_ERROR(PathInside("", module.path, module.label).status());
  return module;
}

/// Since version 6 a Normalize module may have a file, which may point it at the tokens instead.
absl::Status CheckNormalize(const fs::path& folder, const Module& module) {
  if (module.path.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<Config> config,
                   ReadConfigIfThere(folder, module.path + "/config.json"));
  if (!config) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string input,
                   config->String("module_input_name", "sentence_embedding"));
  if (input == "sentence_embedding") return absl::OkStatus();
  return config->Error("module_input_name",
                       fmt::format("expected sentence_embedding, got {}", input));
}

absl::Status Add(const fs::path& folder, const Module& module, bool first, Modules& modules) {
  if (module.kind == "Transformer") {
    if (!first) return Refuse(module, "expected as the first module only");
    modules.transformer_path = module.path;
    return absl::OkStatus();
  }
  if (first) return Refuse(module, "expected a Transformer as the first module");
  if (module.kind == "Pooling") {
    if (modules.pooling_path || modules.normalize) {
      return Refuse(module, "expected once, straight after the Transformer");
    }
    modules.pooling_path = module.path;
    return absl::OkStatus();
  }
  if (module.kind == "Normalize") {
    modules.normalize = true;
    return CheckNormalize(folder, module);
  }
  if (module.kind == "Dense") return Refuse(module, "Dense modules are not supported yet");
  return Refuse(module, "unknown type, expected Transformer, Pooling or Normalize");
}

}  // namespace

absl::StatusOr<std::optional<Modules>> ReadModules(const fs::path& folder) {
  std::error_code error;
  if (fs::symlink_status(folder / kFileName, error).type() == fs::file_type::not_found) {
    return std::nullopt;
  }
  ASSIGN_OR_RETURN(const nlohmann::json json, common::ReadJsonFile(folder / kFileName));
  if (!json.is_array() || json.empty()) {
    return absl::InvalidArgumentError(fmt::format("{}: expected a list of modules", kFileName));
  }
  Modules modules;
  for (std::size_t i = 0; i < json.size(); ++i) {
    ASSIGN_OR_RETURN(const Module module, ReadModule(json[i], i));
    RETURN_IF_ERROR(Add(folder, module, i == 0, modules));
  }
  return modules;
}

}  // namespace hub
