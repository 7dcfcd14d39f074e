#include "model_report.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "rose/models/families.h"
#include "rose/weights/mapped_file.h"
#include "rose/weights/safetensors.h"
#include "rose/weights/torch_file.h"
#include "text/tokenizer.h"

namespace {

constexpr std::array<std::string_view, 3> kFloatTypes = {"F32", "F16", "BF16"};

absl::StatusOr<TokenizerReport> ReadTokenizer(const hub::ModelFolder& folder) {
  ASSIGN_OR_RETURN(const auto tokenizer, text::Tokenizer::FromFolder(folder.tokenizer_folder));
  return TokenizerReport{.model_type = std::string(tokenizer->model_type()),
                         .pieces = tokenizer->vocabulary_size(),
                         .memory_bytes = tokenizer->memory_bytes()};
}

absl::Status AddWeightFile(const std::filesystem::path& path, WeightReport& report) {
  const std::string name = path.filename().string();
  ASSIGN_OR_RETURN(const auto mapping, rose::MappedFile::Open(path));
  ASSIGN_OR_RETURN(const std::vector<rose::StoredTensor> tensors,
                   rose::IsTorchFile(mapping->bytes())
                       ? rose::ParseTorchFile(mapping->bytes(), name)
                       : rose::ParseSafetensors(mapping->bytes(), name));
  ++report.files;
  for (const rose::StoredTensor& tensor : tensors) {
    ++report.tensors;
    ++report.dtypes[tensor.dtype];
    report.bytes += static_cast<int64_t>(tensor.bytes.size());
    const bool is_float =
        std::find(kFloatTypes.begin(), kFloatTypes.end(), tensor.dtype) != kFloatTypes.end();
    if (is_float) report.parameters += tensor.elements();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ModelReport> ModelReport::Make(const hub::ModelFolder& folder) {
  ModelReport report;
  report.folder = folder;
  report.unsupported = folder.unsupported;
  const absl::Status family = rose::FindFamily(folder.model_type).status();
  report.family_is_served = family.ok();
  if (!family.ok()) report.unsupported.emplace_back(family.message());
  absl::StatusOr<TokenizerReport> tokenizer = ReadTokenizer(folder);
  if (tokenizer.ok()) {
    report.tokenizer = *std::move(tokenizer);
  } else {
    report.unsupported.emplace_back(tokenizer.status().message());
  }
  for (const std::filesystem::path& path : folder.weight_files) {
    RETURN_IF_ERROR(AddWeightFile(path, report.weights));
  }
  return report;
}
