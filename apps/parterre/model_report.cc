#include "model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "rose/models/families.h"
#include "rose/weights/safetensors.h"
#include "text/tokenizer.h"

namespace {

constexpr std::array<std::string_view, 3> kFloatTypes = {"F32", "F16", "BF16"};

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
  ASSIGN_OR_RETURN(report.tokenizer, ReadTokenizer(folder));
  ASSIGN_OR_RETURN(report.weights, ReadWeights(folder));
  return report;
}
