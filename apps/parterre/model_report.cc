#include "model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "hub/dimensions.h"
#include "rose/models/families.h"
#include "rose/weights/safetensors.h"
#include "text/tokenizer.h"

namespace {

constexpr std::array<std::string_view, 3> kFloatTypes = {"F32", "F16", "BF16"};

/// The first of the names under which families keep a number; nothing if there is none of them.
absl::StatusOr<std::optional<int64_t>> FirstInt(const hub::Config& config,
                                                std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) {
    if (!config.Has(key)) continue;
    ASSIGN_OR_RETURN(const int64_t value, config.Int(key));
    return value;
  }
  return std::nullopt;
}

/// Models that take more than text keep the numbers of the text part apart.
absl::StatusOr<hub::Config> TextConfig(const hub::Config& config) {
  if (!config.Has("text_config")) return config;
  return config.Object("text_config");
}

absl::StatusOr<TokenizerReport> ReadTokenizer(const hub::ModelFolder& folder) {
  ASSIGN_OR_RETURN(const auto tokenizer, text::Tokenizer::FromFolder(folder.tokenizer_folder));
  return TokenizerReport{.model_type = std::string(tokenizer->model_type()),
                         .pieces = tokenizer->vocabulary_size(),
                         .memory_bytes = tokenizer->memory_bytes()};
}

absl::StatusOr<WeightReport> ReadWeights(const hub::ModelFolder& folder) {
  WeightReport report;
  for (const std::filesystem::path& path : folder.weight_files) {
    ASSIGN_OR_RETURN(const rose::Safetensors file, rose::Safetensors::Open(path));
    ++report.files;
    for (const rose::StoredTensor& tensor : file.tensors()) {
      ++report.tensors;
      ++report.dtypes[tensor.dtype];
      report.bytes += static_cast<int64_t>(tensor.bytes.size());
      if (std::find(kFloatTypes.begin(), kFloatTypes.end(), tensor.dtype) == kFloatTypes.end()) {
        continue;
      }
      report.float_elements += tensor.elements();
    }
  }
  return report;
}

}  // namespace

absl::StatusOr<ModelReport> ModelReport::Make(const hub::ModelFolder& folder) {
  ModelReport report;
  report.folder = folder;
  report.family_is_served = rose::FindFamily(folder.model_type).ok();
  ASSIGN_OR_RETURN(const hub::Config config, TextConfig(folder.config));
  ASSIGN_OR_RETURN(report.layers, FirstInt(config, {"num_hidden_layers", "n_layers", "n_layer"}));
  ASSIGN_OR_RETURN(report.hidden_size, hub::HiddenSize(config));
  ASSIGN_OR_RETURN(report.heads, FirstInt(config, {"num_attention_heads", "n_heads", "n_head"}));
  ASSIGN_OR_RETURN(report.vocabulary_size, FirstInt(config, {"vocab_size"}));
  ASSIGN_OR_RETURN(report.tokenizer, ReadTokenizer(folder));
  ASSIGN_OR_RETURN(report.weights, ReadWeights(folder));
  return report;
}

std::optional<int64_t> ModelReport::dimension() const {
  if (!hidden_size) return std::nullopt;
  return *hidden_size * static_cast<int64_t>(folder.pooling.modes.size());
}
