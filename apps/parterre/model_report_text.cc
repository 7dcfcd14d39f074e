#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "model_report.h"

namespace {

using nlohmann::ordered_json;

constexpr int64_t kFloat32Bytes = 4;
constexpr int64_t kBFloat16Bytes = 2;

class TableWriter {
 public:
  void Row(std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), "{:<16}{}\n", name, value);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string Size(int64_t bytes) {
  constexpr double kKilo = 1000;
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / kKilo;
  const char* const units[] = {"kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; value >= kKilo && unit < 3; ++unit) value /= kKilo;
  return fmt::format("{:.3g} {}", value, units[unit]);
}

std::string Number(std::optional<int64_t> value) {
  return value ? fmt::format("{}", *value) : "unknown";
}

ordered_json NumberOrNull(std::optional<int64_t> value) {
  return value ? ordered_json(*value) : ordered_json();
}

std::vector<std::string> PoolingNames(const hub::Pooling& pooling) {
  std::vector<std::string> names;
  for (hub::PoolingMode mode : pooling.modes) names.emplace_back(hub::PoolingModeName(mode));
  return names;
}

std::string PoolingText(const hub::ModelFolder& folder) {
  std::string text = fmt::format("{}", fmt::join(PoolingNames(folder.pooling), " + "));
  if (folder.pooling_is_default) text += " (default: no file of the folder says it)";
  if (!folder.pooling.include_prompt) text += ", without the prompt's tokens";
  return text;
}

std::vector<std::string> TokenizerFiles(const hub::ModelFolder& folder) {
  std::vector<std::string> names;
  for (const auto& file : folder.tokenizer_files) names.push_back(file.filename().string());
  return names;
}

std::string TokenizerText(const TokenizerReport& tokenizer, const hub::ModelFolder& folder) {
  return fmt::format("{} from {}: {} pieces, {} of memory{}", tokenizer.model_type,
                     fmt::join(TokenizerFiles(folder), ", "), tokenizer.pieces,
                     Size(static_cast<int64_t>(tokenizer.memory_bytes)),
                     folder.lower_case ? ", on lower-cased text" : "");
}

std::string WeightsText(const WeightReport& weights) {
  if (weights.files == 0) return "no files: only --weights random:SEED runs it";
  std::vector<std::string> dtypes;
  for (const auto& [dtype, tensors] : weights.dtypes) {
    dtypes.push_back(fmt::format("{} {}", tensors, dtype));
  }
  return fmt::format("{} in {} {}: {} tensors ({})", Size(weights.bytes), weights.files,
                     weights.files == 1 ? "file" : "files", weights.tensors,
                     fmt::join(dtypes, ", "));
}

void AddPrompts(const hub::ModelFolder& folder, TableWriter& table) {
  if (folder.prompts.empty()) return table.Row("prompts", "none");
  std::string_view name = "prompts";
  for (const auto& [prompt, text] : folder.prompts) {
    const bool is_default = folder.default_prompt_name == prompt;
    table.Row(name, fmt::format("{}: {}{}", prompt, ordered_json(text).dump(),
                                is_default ? " (default)" : ""));
    name = "";
  }
}

}  // namespace

std::string ModelReport::Table() const {
  TableWriter table;
  table.Row("model", fmt::format("{} ({})", folder.name, folder.path.string()));
  table.Row("family",
            fmt::format("{}{}", folder.model_type, family_is_served ? "" : " (not served yet)"));
  table.Row("architectures", fmt::format("{}", fmt::join(folder.architectures, ", ")));
  table.Row("shape", fmt::format("{} layers, hidden size {}, {} heads, {} rows of vocabulary",
                                 Number(folder.shape.layers), Number(folder.shape.hidden_size),
                                 Number(folder.shape.heads), Number(folder.shape.vocabulary_size)));
  table.Row("tokenizer", TokenizerText(tokenizer, folder));
  table.Row("pooling", PoolingText(folder));
  table.Row("normalize", folder.normalize ? "yes" : "no");
  table.Row("dimensions", Number(folder.dimension));
  table.Row("max length",
            fmt::format("{} tokens ({})", folder.max_length, folder.max_length_source));
  AddPrompts(folder, table);
  table.Row("weights", WeightsText(weights));
  if (weights.files > 0) {
    table.Row("memory", fmt::format("{} in float32, {} in bfloat16, and the engine's arena",
                                    Size(weights.float_elements * kFloat32Bytes),
                                    Size(weights.float_elements * kBFloat16Bytes)));
  }
  table.Row("fingerprint", folder.fingerprint);
  return table.Take();
}

std::string ModelReport::Json() const {
  ordered_json json;
  json["name"] = folder.name;
  json["path"] = folder.path.string();
  json["family"] = folder.model_type;
  json["family_is_served"] = family_is_served;
  json["architectures"] = folder.architectures;
  json["layers"] = NumberOrNull(folder.shape.layers);
  json["hidden_size"] = NumberOrNull(folder.shape.hidden_size);
  json["heads"] = NumberOrNull(folder.shape.heads);
  json["vocabulary_size"] = NumberOrNull(folder.shape.vocabulary_size);
  json["tokenizer"] = {{"model_type", tokenizer.model_type},
                       {"files", TokenizerFiles(folder)},
                       {"pieces", tokenizer.pieces},
                       {"memory_bytes", tokenizer.memory_bytes}};
  json["lower_case"] = folder.lower_case;
  json["pooling"] = PoolingNames(folder.pooling);
  json["pooling_is_default"] = folder.pooling_is_default;
  json["include_prompt"] = folder.pooling.include_prompt;
  json["normalize"] = folder.normalize;
  json["dimensions"] = NumberOrNull(folder.dimension);
  json["max_length"] = folder.max_length;
  json["max_length_source"] = folder.max_length_source;
  json["prompts"] = folder.prompts;
  json["default_prompt_name"] =
      folder.default_prompt_name ? ordered_json(*folder.default_prompt_name) : ordered_json();
  json["weights"] = {{"files", weights.files},
                     {"tensors", weights.tensors},
                     {"bytes", weights.bytes},
                     {"dtypes", weights.dtypes}};
  json["memory_bytes"] = {{"float32", weights.float_elements * kFloat32Bytes},
                          {"bfloat16", weights.float_elements * kBFloat16Bytes}};
  json["fingerprint"] = folder.fingerprint;
  // A folder's own name may be any bytes; JSON takes UTF-8 alone.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}
