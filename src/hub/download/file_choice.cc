#include "hub/download/file_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace hub {
namespace {

constexpr std::string_view kSettings[] = {
    "config.json", "modules.json", "config_sentence_transformers.json",
    // The limit of sentence-transformers, by its names of all ages.
    "sentence_bert_config.json", "sentence_roberta_config.json", "sentence_distilbert_config.json",
    "sentence_camembert_config.json", "sentence_albert_config.json",
    "sentence_xlm-roberta_config.json", "sentence_xlnet_config.json",
    // Beside either form of tokenizer.
    "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.jinja"};

constexpr std::string_view kTokenizer = "tokenizer.json";

constexpr std::string_view kTokenizerParts[] = {"vocab.txt",    "vocab.json",
                                                "merges.txt",   "sentencepiece.bpe.model",
                                                "spiece.model", "tokenizer.model"};

constexpr std::string_view kWeights[] = {"model.safetensors.index.json", "model.safetensors",
                                         "pytorch_model.bin.index.json", "pytorch_model.bin"};

constexpr std::string_view kHeads[] = {"sparse_linear", "colbert_linear"};

bool Has(const std::vector<std::string>& listed, const std::string& file) {
  return std::find(listed.begin(), listed.end(), file) != listed.end();
}

}  // namespace

std::string Below(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : fmt::format("{}/{}", folder, name);
}

std::vector<std::string> SettingsFiles(const std::vector<std::string>& listed,
                                       std::string_view folder) {
  std::vector<std::string> files;
  const auto add = [&](std::string_view name) {
    std::string file = Below(folder, name);
    if (!Has(listed, file)) return false;
    files.push_back(std::move(file));
    return true;
  };
  for (std::string_view name : kSettings) add(name);
  if (add(kTokenizer)) return files;
  for (std::string_view name : kTokenizerParts) add(name);
  return files;
}

std::string WeightFile(const std::vector<std::string>& listed, std::string_view folder) {
  for (std::string_view name : kWeights) {
    if (std::string file = Below(folder, name); Has(listed, file)) return file;
  }
  return "";
}

bool IsWeightIndex(std::string_view file) { return file.ends_with(".index.json"); }

std::vector<std::string> HeadFiles(const std::vector<std::string>& listed) {
  std::vector<std::string> files;
  for (std::string_view name : kHeads) {
    for (const char* suffix : {"safetensors", "pt"}) {
      std::string file = fmt::format("{}.{}", name, suffix);
      if (!Has(listed, file)) continue;
      files.push_back(std::move(file));
      break;
    }
  }
  return files;
}

}  // namespace hub
