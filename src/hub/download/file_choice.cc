#include "hub/download/file_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hub/file_names.h"

namespace hub {
namespace {

constexpr std::string_view kSettings[] = {
    "config.json", "modules.json", "config_sentence_transformers.json",
    // Beside either form of tokenizer.
    "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.jinja"};

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
  for (const std::string_view name : kSettings) add(name);
  for (const std::string_view name : kSentenceBertFiles) add(name);
  if (add("tokenizer.json")) return files;
  for (const std::string_view name : kVocabularyFiles) add(name);
  return files;
}

std::string WeightFile(const std::vector<std::string>& listed, std::string_view folder) {
  for (const WeightNames& names : kWeightFormats) {
    for (const std::string_view name : {names.index, names.file}) {
      if (std::string file = Below(folder, name); Has(listed, file)) return file;
    }
  }
  return "";
}

bool IsWeightIndex(std::string_view file) { return file.ends_with(".index.json"); }

std::vector<std::string> HeadFiles(const std::vector<std::string>& listed) {
  std::vector<std::string> files;
  for (const auto& names : {kSparseHeadFiles, kColbertHeadFiles}) {
    const auto* const found = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
      return Has(listed, std::string(name));
    });
    if (found != names.end()) files.emplace_back(*found);
  }
  return files;
}

}  // namespace hub
