#include "text/patterns/regex.h"

#include <array>

#include "common/check.h"
#include "text/patterns/regex_translation.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

// Steps of one search from one place, and memory, after which it is given up. A sane pattern takes
// a few steps for each byte that it matches.
constexpr uint32_t kMatchLimit = 10'000'000;
constexpr uint32_t kHeapLimitKib = 64 * 1024;

PCRE2_SPTR Bytes(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

absl::StatusOr<Regex> Regex::Compile(std::string_view pattern) {
  ASSIGN_OR_RETURN(const RegexTranslation translation, TranslateRegex(pattern));
  const Pcre2Ptr<pcre2_compile_context> context(pcre2_compile_context_create(nullptr));
  CHECK(context != nullptr);
  CHECK(pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF) == 0);
  int error = 0;
  PCRE2_SIZE place = 0;
  Pcre2Ptr<pcre2_code> code(pcre2_compile(Bytes(translation.pattern), translation.pattern.size(),
                                          PCRE2_UTF | PCRE2_MULTILINE, &error, &place,
                                          context.get()));
  if (code == nullptr) {
    std::array<char, 256> message{};
    pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(message.data()), message.size());
    const std::size_t at =
        place < translation.sources.size() ? translation.sources[place] : pattern.size();
    return RegexError(pattern, at, message.data());
  }
  // Without a just-in-time compiler for this machine PCRE2 interprets.
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  return Regex(std::move(code));
}

Regex::Regex(Pcre2Ptr<pcre2_code> code)
    : code_(std::move(code)), limits_(pcre2_match_context_create(nullptr)) {
  CHECK(limits_ != nullptr);
  pcre2_set_match_limit(limits_.get(), kMatchLimit);
  pcre2_set_heap_limit(limits_.get(), kHeapLimitKib);
}

// The order of Oniguruma's iterator: an empty match right behind the last match does not count, and
// the search goes on one character later.
void Regex::ForEachMatch(std::string_view text, RegexScratch& scratch, Visit visit) const {
  if (scratch.match == nullptr) {
    scratch.match = std::shared_ptr<pcre2_match_data>(pcre2_match_data_create(1, nullptr),
                                                      pcre2_match_data_free);
    CHECK(scratch.match != nullptr);
  }
  auto* const data = static_cast<pcre2_match_data*>(scratch.match.get());
  std::size_t from = 0, last_end = std::string_view::npos;
  while (Search(text, from, data)) {
    const PCRE2_SIZE* match = pcre2_get_ovector_pointer(data);
    const std::size_t begin = match[0], end = match[1];
    if (begin == end && end == last_end) {
      if (from == text.size()) break;
      DecodeUtf8(text, from);
      continue;
    }
    from = last_end = end;
    visit(begin, end);
  }
}

bool Regex::Search(std::string_view text, std::size_t from, pcre2_match_data* data) const {
  const auto match = [&](uint32_t options) {
    return pcre2_match(code_.get(), Bytes(text), text.size(), from, PCRE2_NO_UTF_CHECK | options,
                       data, limits_.get());
  };
  const int found = match(0);
  // Compiled code has a small stack of its own; the interpreter takes what the heap limit allows.
  return (found == PCRE2_ERROR_JIT_STACKLIMIT ? match(PCRE2_NO_JIT) : found) >= 0;
}

}  // namespace text
