#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "tokenizer_checks.h"

// Any bytes as text for each of the real vocabularies, in $PARTERRE_FUZZ_TOKENIZERS.

namespace {

using Tokenizers = std::array<std::unique_ptr<text::Tokenizer>, 3>;

Tokenizers Load() {
  const char* folder = std::getenv("PARTERRE_FUZZ_TOKENIZERS");
  CHECK(folder != nullptr) << "PARTERRE_FUZZ_TOKENIZERS is not set";
  Tokenizers tokenizers;
  for (std::size_t i = 0; const char* name : {"bert.json", "qwen3.json", "xlmr.json"}) {
    auto tokenizer = text::Tokenizer::FromFile(std::filesystem::path(folder) / name);
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
