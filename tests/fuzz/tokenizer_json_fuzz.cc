#include "tokenizer_checks.h"

// Any bytes as tokenizer.json: an error or a tokenizer, which then encodes some texts, its own file
// among them.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto tokenizer = text::Tokenizer::FromJson(json);
  if (!tokenizer.ok()) return 0;
  for (const std::string_view text :
       {std::string_view(), std::string_view("Hello <s> world's 12\n\n "),
        std::string_view("e\u0301 \u2581\u3000漢字\u1100\u1161 \u200D\uFFFD"), json}) {
    CheckEncodings(**tokenizer, text);
  }
  return 0;
}
