#include "text/test_cases.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/check.h"

namespace text {

std::vector<std::filesystem::path> CaseFolders() {
  std::vector<std::filesystem::path> folders = {PARTERRE_TEST_DATA "/tokenizers"};
  const std::filesystem::path suite = PARTERRE_SHARED_CASES "/tokenizers";
  if (std::filesystem::is_directory(suite)) folders.push_back(suite);
  return folders;
}

const std::string& TokenizerJson(const std::string& name) {
  static std::map<std::string, std::string>& jsons = *new std::map<std::string, std::string>;
  std::string& json = jsons[name];
  if (json.empty()) json = ReadCaseFile(CaseFolders()[0] / (name + ".tokenizer.json.gz"));
  return json;
}

namespace {

std::unique_ptr<Tokenizer> ReadVariant(const std::string& name) {
  const auto variants = nlohmann::json::parse(ReadCaseFile(CaseFolders()[0] / "variants.json"));
  if (!variants.contains(name)) {
    auto tokenizer = Tokenizer::FromJson(TokenizerJson(name));
    CHECK(tokenizer.ok()) << tokenizer.status();
    return *std::move(tokenizer);
  }
  auto json = nlohmann::json::parse(TokenizerJson(variants[name]["base"]));
  for (const auto& [key, value] : variants[name]["set"].items()) {
    auto changed = value;
    if (changed.is_object() && changed.contains("normalizers")) {
      for (auto& member : changed["normalizers"]) {
        if (member == "$base") member = json[key];  // What the file has there.
      }
    }
    json[key] = changed;
  }
  auto tokenizer = Tokenizer::FromJson(json.dump());
  CHECK(tokenizer.ok()) << tokenizer.status();
  return *std::move(tokenizer);
}

}  // namespace

const Tokenizer& CaseTokenizer(const std::string& name) {
  static auto& tokenizers = *new std::map<std::string, std::unique_ptr<Tokenizer>>;
  auto& tokenizer = tokenizers[name];
  if (tokenizer == nullptr) tokenizer = ReadVariant(name);
  return *tokenizer;
}

std::vector<int32_t> Encode(const Tokenizer& tokenizer, std::string_view text,
                            const EncodeOptions& options) {
  Scratch scratch;
  std::vector<int32_t> ids;
  tokenizer.Encode(text, options, scratch, ids);
  return ids;
}

}  // namespace text
