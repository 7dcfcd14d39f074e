#include "model_report.h"

#include <string>
#include <utility>

#include "rose/models/families.h"
#include "rose/weights/weight_file.h"
#include "text/tokenizer.h"

namespace {

absl::StatusOr<TokenizerReport> ReadTokenizer(const hub::ModelFolder& folder) {
  ASSIGN_OR_RETURN(const auto tokenizer, text::Tokenizer::FromFolder(folder.tokenizer_folder));
  return TokenizerReport{.model_type = std::string(tokenizer->model_type()),
                         .pieces = tokenizer->vocabulary_size(),
                         .memory_bytes = tokenizer->memory_bytes()};
}

absl::Status AddWeightFile(const std::filesystem::path& path, WeightReport& report) {
  ASSIGN_OR_RETURN(const rose::WeightFile file, rose::WeightFile::Open(path));
  ++report.files;
  for (const rose::StoredTensor& tensor : file.tensors) {
    ++report.tensors;
    ++report.dtypes[tensor.dtype];
    report.bytes += static_cast<int64_t>(tensor.bytes.size());
    if (tensor.float_type()) report.parameters += tensor.elements();
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
