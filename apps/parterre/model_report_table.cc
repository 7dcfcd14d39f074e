#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/one_line.h"
#include "model_report.h"
#include "model_report_names.h"

namespace {

class TableWriter {
 public:
  void Row(std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), "{:<16}{}\n", name, common::OneLine(value));
  }
  /// One row for each value, the name before the first.
  void Rows(std::string_view name, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      Row(name, value);
      name = "";
    }
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

std::string Quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string PoolingText(const hub::ModelFolder& folder) {
  return fmt::format("{} ({}){}", fmt::join(hub::PoolingNames(folder.pooling), " + "),
                     folder.pooling_source,
                     folder.pooling.include_prompt ? "" : ", without the prompt's tokens");
}

std::string TokenizerText(const std::optional<TokenizerReport>& tokenizer,
                          const hub::ModelFolder& folder) {
  if (!tokenizer) return "not supported";
  return fmt::format("{} from {}: {} pieces, {} of memory{}", tokenizer->model_type,
                     fmt::join(TokenizerFileNames(folder), ", "), tokenizer->pieces,
                     Size(static_cast<int64_t>(tokenizer->memory_bytes)),
                     folder.lower_case ? ", on lower-cased text" : "");
}

std::string WeightsText(const WeightReport& weights) {
  if (weights.files == 0) return "no files: only --weights random:SEED runs it";
  std::vector<std::string> dtypes;
  dtypes.reserve(weights.dtypes.size());
  for (const auto& [dtype, tensors] : weights.dtypes) {
    dtypes.push_back(fmt::format("{} {}", tensors, dtype));
  }
  return fmt::format("{} in {} {}: {} tensors ({})", Size(weights.bytes), weights.files,
                     weights.files == 1 ? "file" : "files", weights.tensors,
                     fmt::join(dtypes, ", "));
}

/// How the vectors come about.
void AddVectors(const hub::ModelFolder& folder, TableWriter& table) {
  std::vector<std::string> dense;
  dense.reserve(folder.dense.size());
  for (const hub::DenseModule& module : folder.dense) dense.push_back(DenseText(module));
  if (folder.colbert_head) {
    for (const hub::DenseModule& module : folder.colbert_head->dense) {
      dense.push_back(DenseText(module) + ", of each token");
    }
  }
  if (folder.outputs.Has(hub::Output::kDense)) {
    table.Row("pooling", PoolingText(folder));
    table.Rows("dense modules", dense);
    table.Row("normalize", folder.normalize ? "yes" : "no");
    table.Row("quantization", hub::QuantizationName(folder.quantization));
    table.Row("dimensions", Number(folder.dimension));
  } else {
    table.Rows("dense modules", dense);
  }
  if (folder.sparse_head) {
    table.Row("sparse",
              fmt::format("{}, without the ids {}", folder.sparse_head->file.filename().string(),
                          fmt::join(folder.sparse_head->left_out_ids, ", ")));
  }
  if (folder.splade) {
    table.Row("sparse",
              fmt::format("SPLADE, {} over the tokens{}",
                          folder.splade->pooling == hub::Splade::Pooling::kMax ? "largest" : "sum",
                          folder.splade->log1p_twice ? ", log1p twice" : ""));
  }
  if (folder.colbert_head && !folder.colbert_head->file.empty()) {
    table.Row("colbert", folder.colbert_head->file.filename().string());
  }
}

/// How the scores come about.
void AddScores(const hub::ModelFolder& folder, TableWriter& table) {
  if (!folder.classifier) return;
  table.Row("labels", fmt::format("{}", fmt::join(folder.classifier->labels, ", ")));
  table.Row("activation", hub::ScoreActivationName(folder.classifier->activation));
  if (folder.logit_score) {
    const auto& no = folder.logit_score->false_token_id;
    table.Row("score", fmt::format("logit of token {}{}", folder.logit_score->true_token_id,
                                   no ? fmt::format(" less that of token {}", *no) : ""));
  }
  if (!folder.rerank_template) return;
  const hub::RerankTemplate& text = *folder.rerank_template;
  table.Rows("template", {"prefix: " + Quoted(text.prefix), "body: " + Quoted(text.body),
                          "suffix: " + Quoted(text.suffix),
                          "default instruction: " + Quoted(text.default_instruction)});
}

void AddPrompts(const hub::ModelFolder& folder, TableWriter& table) {
  if (folder.prompts.empty()) return table.Row("prompts", "none");
  std::vector<std::string> prompts;
  for (const auto& [prompt, text] : folder.prompts) {
    const bool is_default = folder.default_prompt_name == prompt;
    prompts.push_back(
        fmt::format("{}: {}{}", prompt, Quoted(text), is_default ? " (default)" : ""));
  }
  table.Rows("prompts", prompts);
}

void AddWeights(const WeightReport& weights, TableWriter& table) {
  table.Row("weights", WeightsText(weights));
  if (weights.files == 0) return;
  table.Row("parameters", fmt::format("{}", weights.parameters));
  table.Row("memory", fmt::format("{} in float32, {} in bfloat16, and the engine's arena",
                                  Size(weights.parameters * kFloat32Bytes),
                                  Size(weights.parameters * kBFloat16Bytes)));
}

}  // namespace

std::string ModelReport::Table() const {
  TableWriter table;
  table.Row("model", fmt::format("{} ({})", folder.name, folder.path.string()));
  table.Row("family",
            fmt::format("{}{}", folder.model_type, family_is_served ? "" : " (not served yet)"));
  table.Row("architectures", fmt::format("{}", fmt::join(folder.architectures, ", ")));
  table.Row("task", fmt::format("{} ({})", hub::TaskName(folder.task), folder.task_source));
  table.Row("outputs", fmt::format("{}", fmt::join(hub::OutputNames(folder.outputs), ", ")));
  table.Row("shape", fmt::format("{} layers, hidden size {}, {} heads, {} rows of vocabulary",
                                 Number(folder.shape.layers), Number(folder.shape.hidden_size),
                                 Number(folder.shape.heads), Number(folder.shape.vocabulary_size)));
  table.Row("tokenizer", TokenizerText(tokenizer, folder));
  AddVectors(folder, table);
  AddScores(folder, table);
  table.Row("max length",
            fmt::format("{} tokens ({})", folder.max_length, folder.max_length_source));
  AddPrompts(folder, table);
  AddWeights(weights, table);
  table.Row("fingerprint", folder.fingerprint);
  table.Rows("not supported", unsupported);
  return table.Take();
}
