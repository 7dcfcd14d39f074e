#include "text/formats/tokenizer_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/json.h"
#include "text/formats/tokenizer_classes.h"

namespace text {
namespace {

constexpr std::string_view kFile = "tokenizer.json";

/// A class of tokenizers, the files it is read from, and who reads them.
struct TokenizerClass {
  std::string_view name;
  std::vector<std::string_view> files;
  absl::StatusOr<nlohmann::json> (*read)(const std::filesystem::path& folder,
                                         const TokenizerSettings& settings);
};

const std::vector<TokenizerClass>& Classes() {
  static const auto& classes = *new std::vector<TokenizerClass>{
      {"BertTokenizer", {"vocab.txt"}, ReadBertTokenizer},
      {"DistilBertTokenizer", {"vocab.txt"}, ReadBertTokenizer},
      {"MPNetTokenizer", {"vocab.txt"}, ReadMpnetTokenizer},
      {"XLMRobertaTokenizer", {"sentencepiece.bpe.model"}, ReadXlmRobertaTokenizer},
      {"CamembertTokenizer", {"sentencepiece.bpe.model"}, ReadCamembertTokenizer},
      {"T5Tokenizer", {"spiece.model"}, ReadT5Tokenizer},
      {"LlamaTokenizer", {"tokenizer.model"}, ReadLlamaTokenizer},
      {"GemmaTokenizer", {"tokenizer.model"}, ReadGemmaTokenizer},
      {"GPT2Tokenizer", {"vocab.json", "merges.txt"}, ReadGpt2Tokenizer},
      {"RobertaTokenizer", {"vocab.json", "merges.txt"}, ReadRobertaTokenizer},
      {"Qwen2Tokenizer", {"vocab.json", "merges.txt"}, ReadQwen2Tokenizer},
  };
  return classes;
}

bool Has(const std::filesystem::path& folder, std::string_view file) {
  std::error_code error;
  // A broken link is there: reading it names it.
  return std::filesystem::exists(std::filesystem::symlink_status(folder / file, error));
}

/// What the folder holds of the files that tokenizers are read from.
std::string Found(const std::filesystem::path& folder) {
  std::vector<std::string_view> found;
  for (const char* file : {"tokenizer_config.json", "vocab.txt", "vocab.json", "merges.txt",
                           "sentencepiece.bpe.model", "spiece.model", "tokenizer.model"}) {
    if (Has(folder, file)) found.emplace_back(file);
  }
  return found.empty() ? "no other file of a tokenizer" : fmt::format("{}", fmt::join(found, ", "));
}

absl::Status NoTokenizer(const std::filesystem::path& folder, std::string_view why) {
  return absl::NotFoundError(fmt::format(
      "{} is missing in {}, which holds {}; {}. To make it: python -c 'from transformers import "
      "AutoTokenizer as T; T.from_pretrained(\"{}\").save_pretrained(\"{}\")'",
      kFile, folder.string(), Found(folder), why, folder.string(), folder.string()));
}

}  // namespace

absl::StatusOr<nlohmann::json> ReadTokenizerFolder(const std::filesystem::path& folder) {
  if (Has(folder, kFile)) return common::ReadJsonFile(folder / kFile);
  auto settings = TokenizerSettings::Read(folder);
  if (absl::IsNotFound(settings.status())) {
    return NoTokenizer(folder, "without tokenizer_config.json its class is not known");
  }
  if (!settings.ok()) return settings.status();
  const std::string name = settings->class_name();
  if (name.empty()) return NoTokenizer(folder, "tokenizer_config.json names no tokenizer_class");
  std::vector<std::string_view> known;
  for (const TokenizerClass& tokenizer_class : Classes()) {
    known.push_back(tokenizer_class.name);
    if (tokenizer_class.name != name) continue;
    for (const std::string_view file : tokenizer_class.files) {
      if (!Has(folder, file)) return NoTokenizer(folder, fmt::format("a {} needs {}", name, file));
    }
    return tokenizer_class.read(folder, *settings);
  }
  return NoTokenizer(folder, fmt::format("the pipeline of {} is not known, only those of {}", name,
                                         fmt::join(known, ", ")));
}

}  // namespace text
