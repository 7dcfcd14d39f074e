#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <cstdio>
#include <string>
#include <vector>

#include "bench/tokenizer_suite.h"
#include "text/tokenizer.h"

// Encodes texts under valgrind --tool=callgrind --instr-atstart=no, which counts each call alone:
// the text as the tokenizer sees it for the first time, once more, and cut to kMaxLength tokens.
// Writes a line for each call: number of the text, name of the call, tokens and bytes; callgrind
// writes its counts in the same order.

namespace {

constexpr int kMaxLength = 512;

struct Call {
  const char* name;
  int max_length;
};
constexpr Call kCalls[] = {{"first", 0}, {"warm", 0}, {"cut", kMaxLength}};

int Fail(const absl::Status& status) {
  fmt::print(stderr, "tokenizer_instructions: {}\n", std::string(status.message()));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    return Fail(absl::InvalidArgumentError("usage: tokenizer_instructions TOKENIZER_JSON TEXTS"));
  }
  const auto tokenizer = text::Tokenizer::FromFile(argv[1]);
  if (!tokenizer.ok()) return Fail(tokenizer.status());
  const auto texts = bench::ReadTexts(argv[2]);
  if (!texts.ok()) return Fail(texts.status());
  text::Scratch scratch;
  std::vector<int32_t> ids;
  for (std::size_t i = 0; i < texts->size(); ++i) {
    for (const Call& call : kCalls) {
      ids.clear();
      const text::EncodeOptions options = {.max_length = call.max_length};
      CALLGRIND_START_INSTRUMENTATION;
      CALLGRIND_ZERO_STATS;
      (*tokenizer)->Encode((*texts)[i], options, scratch, ids);
      CALLGRIND_DUMP_STATS;
      CALLGRIND_STOP_INSTRUMENTATION;
      fmt::print("{} {} {} {}\n", i, call.name, ids.size(), (*texts)[i].size());
      std::fflush(stdout);
    }
  }
  return 0;
}
