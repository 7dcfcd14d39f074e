#include <array>
#include <memory>
#include <string>

#include "text/golden_lines.h"
#include "tokenizer_checks.h"

// Any bytes as text for each of the real vocabularies.

namespace {

using Tokenizers = std::array<std::unique_ptr<text::Tokenizer>, 3>;

Tokenizers Load() {
  Tokenizers tokenizers;
  for (std::size_t i = 0; const char* name : {"bert", "qwen3", "xlmr"}) {
    const std::string file = PARTERRE_TEST_DATA "/tokenizers/" + std::string(name);
    auto tokenizer = text::Tokenizer::FromJson(text::ReadCaseFile(file + ".tokenizer.json.gz"));
    CHECK(tokenizer.ok()) << tokenizer.status();
    tokenizers[i++] = *std::move(tokenizer);
  }
  return tokenizers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Tokenizers tokenizers = Load();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!text::IsValidUtf8(text)) return 0;
  for (const auto& tokenizer : tokenizers) CheckEncodings(*tokenizer, text);
  return 0;
}
