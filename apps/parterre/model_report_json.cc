#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "model_report.h"
#include "model_report_names.h"

namespace {

using nlohmann::ordered_json;

template <typename T>
ordered_json OrNull(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json DenseJson(const std::vector<hub::DenseModule>& modules) {
  ordered_json list = ordered_json::array();
  for (const hub::DenseModule& module : modules) {
    list.push_back({{"path", module.path},
                    {"in_features", module.in_features},
                    {"out_features", module.out_features},
                    {"bias", module.bias},
                    {"activation", hub::ActivationName(module.activation)}});
  }
  return list;
}

void AddVectors(const hub::ModelFolder& folder, ordered_json& json) {
  json["pooling"] = hub::PoolingNames(folder.pooling);
  json["pooling_source"] = folder.pooling_source;
  json["pooling_is_default"] = folder.pooling_is_default;
  json["include_prompt"] = folder.pooling.include_prompt;
  json["dense"] = DenseJson(folder.dense);
  json["normalize"] = folder.normalize;
  json["quantization"] = hub::QuantizationName(folder.quantization);
  json["dimension"] = OrNull(folder.dimension);
  if (folder.splade) {
    json["splade"] = {
        {"pooling", folder.splade->pooling == hub::Splade::Pooling::kMax ? "max" : "sum"},
        {"log1p_twice", folder.splade->log1p_twice}};
  }
  if (folder.sparse_head) {
    json["sparse_head"] = {{"file", folder.sparse_head->file.filename().string()},
                           {"left_out_ids", folder.sparse_head->left_out_ids}};
  }
  if (folder.colbert_head) {
    json["colbert_head"] = {{"file", folder.colbert_head->file.filename().string()},
                            {"dense", DenseJson(folder.colbert_head->dense)}};
  }
}

void AddScores(const hub::ModelFolder& folder, ordered_json& json) {
  if (!folder.classifier) return;
  json["labels"] = folder.classifier->labels;
  json["activation"] = hub::ScoreActivationName(folder.classifier->activation);
  if (folder.logit_score) {
    json["logit_score"] = {{"true_token_id", folder.logit_score->true_token_id},
                           {"false_token_id", OrNull(folder.logit_score->false_token_id)}};
  }
  if (!folder.rerank_template) return;
  json["rerank_template"] = {{"prefix", folder.rerank_template->prefix},
                             {"body", folder.rerank_template->body},
                             {"suffix", folder.rerank_template->suffix},
                             {"default_instruction", folder.rerank_template->default_instruction}};
}

ordered_json TokenizerJson(const std::optional<TokenizerReport>& tokenizer,
                           const hub::ModelFolder& folder) {
  if (!tokenizer) return nullptr;
  return {{"model_type", tokenizer->model_type},
          {"files", TokenizerFileNames(folder)},
          {"pieces", tokenizer->pieces},
          {"memory_bytes", tokenizer->memory_bytes}};
}

void AddWeights(const WeightReport& weights, ordered_json& json) {
  json["weights"] = {{"files", weights.files},
                     {"tensors", weights.tensors},
                     {"bytes", weights.bytes},
                     {"parameters", weights.parameters},
                     {"dtypes", weights.dtypes}};
  json["memory_bytes"] = {{"float32", weights.parameters * kFloat32Bytes},
                          {"bfloat16", weights.parameters * kBFloat16Bytes}};
}

}  // namespace

std::string ModelReport::Json() const {
  ordered_json json;
  json["name"] = folder.name;
  json["path"] = folder.path.string();
  json["family"] = folder.model_type;
  json["family_is_served"] = family_is_served;
  json["architectures"] = folder.architectures;
  json["task"] = hub::TaskName(folder.task);
  json["task_source"] = folder.task_source;
  json["outputs"] = hub::OutputNames(folder.outputs);
  json["layers"] = OrNull(folder.shape.layers);
  json["hidden_size"] = OrNull(folder.shape.hidden_size);
  json["heads"] = OrNull(folder.shape.heads);
  json["vocabulary_size"] = OrNull(folder.shape.vocabulary_size);
  json["tokenizer"] = TokenizerJson(tokenizer, folder);
  json["lower_case"] = folder.lower_case;
  AddVectors(folder, json);
  AddScores(folder, json);
  json["max_length"] = folder.max_length;
  json["max_length_source"] = folder.max_length_source;
  json["prompts"] = folder.prompts;
  json["default_prompt_name"] = OrNull(folder.default_prompt_name);
  AddWeights(weights, json);
  json["fingerprint"] = folder.fingerprint;
  json["unsupported"] = unsupported;
  // A folder's own name may be any bytes; JSON takes UTF-8 alone.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}
