#include "model_report_names.h"

#include <fmt/format.h>

std::vector<std::string> TokenizerFileNames(const hub::ModelFolder& folder) {
  std::vector<std::string> names;
  names.reserve(folder.tokenizer_files.size());
  for (const auto& file : folder.tokenizer_files) names.push_back(file.filename().string());
  return names;
}

std::string DenseText(const hub::DenseModule& module) {
  return fmt::format("{}: {} → {}, {}{}", module.path, module.in_features, module.out_features,
                     hub::ActivationName(module.activation), module.bias ? "" : ", no bias");
}
