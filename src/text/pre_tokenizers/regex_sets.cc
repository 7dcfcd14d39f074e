#include "text/pre_tokenizers/regex_sets.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <vector>

#include "common/check.h"
#include "text/pre_tokenizers/pcre2.h"
#include "text/unicode/category_tables.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

using Ranges = std::vector<CodePointRange>;

constexpr char32_t kCodePointsEnd = 0x110000, kSurrogateFirst = 0xD800, kSurrogateLast = 0xDFFF;

Ranges Copy(std::span<const CodePointRange> ranges) { return {ranges.begin(), ranges.end()}; }

/// Oniguruma's \w is the one of added tokens, but for these.
Ranges WordRanges() {
  constexpr std::array kAdded = {CodePointRange{0xB2, 0xB3}, CodePointRange{0xB9, 0xB9},
                                 CodePointRange{0xBC, 0xBE}};
  constexpr CodePointRange kLacking = {0x200C, 0x200D};
  Ranges ranges;
  for (const CodePointRange& range : kWordCharacters) {
    if (range.first != kLacking.first) ranges.push_back(range);
  }
  ranges.insert(ranges.end(), kAdded.begin(), kAdded.end());
  return ranges;
}

Ranges RangesOf(RegexSet set) {
  switch (set) {
    case RegexSet::kLetter:
      return Copy(kLetterRanges);
    case RegexSet::kNumber:
      return Copy(kNumberRanges);
    case RegexSet::kMark:
      return Copy(kMarkRanges);
    case RegexSet::kDecimalDigit:
      return Copy(kDecimalDigitRanges);
    case RegexSet::kWord:
      return WordRanges();
    case RegexSet::kHexDigit:
      return {{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
    case RegexSet::kSpace:
      return Copy(kWhitespace);
  }
  return {};
}

/// PCRE2's next of kin, in which it is faster than in many ranges; empty: none.
std::string_view KinOf(RegexSet set) {
  switch (set) {
    case RegexSet::kLetter:
      return "\\p{L}";
    case RegexSet::kNumber:
      return "\\p{N}";
    case RegexSet::kMark:
      return "\\p{M}";
    case RegexSet::kDecimalDigit:
      return "\\p{Nd}";
    case RegexSet::kWord:
      return "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}";
    case RegexSet::kHexDigit:
    case RegexSet::kSpace:
      break;
  }
  return "";
}

std::vector<bool> MembersOf(const Ranges& ranges) {
  std::vector<bool> members(kCodePointsEnd);
  for (const auto& [first, last] : ranges) {
    for (char32_t c = first; c <= last; ++c) members[c] = true;
  }
  return members;
}

/// The code points that PCRE2 matches with a class of this body.
std::vector<bool> MembersOf(std::string_view body) {
  const std::string pattern = fmt::format("[{}]+", body);
  int error = 0;
  PCRE2_SIZE place = 0;
  const Pcre2Ptr<pcre2_code> code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()),
                                                pattern.size(), PCRE2_UTF, &error, &place,
                                                nullptr));
  CHECK(code != nullptr) << pattern;
  std::string all;
  for (char32_t c = 0; c < kCodePointsEnd; ++c) {
    if (c < kSurrogateFirst || c > kSurrogateLast) AppendUtf8(c, all);
  }
  const Pcre2Ptr<pcre2_match_data> data(pcre2_match_data_create(1, nullptr));
  std::vector<bool> members(kCodePointsEnd);
  for (std::size_t at = 0;
       pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(all.data()), all.size(), at,
                   PCRE2_NO_UTF_CHECK, data.get(), nullptr) > 0;) {
    const PCRE2_SIZE* match = pcre2_get_ovector_pointer(data.get());
    for (at = match[0]; at < match[1];) members[DecodeUtf8(all, at)] = true;
  }
  return members;
}

void AppendRanges(const std::vector<bool>& members, std::string& body) {
  for (char32_t c = 0; c < kCodePointsEnd; ++c) {
    if (!members[c]) continue;
    const char32_t first = c;
    while (c + 1 < kCodePointsEnd && members[c + 1]) ++c;
    body += fmt::format("\\x{{{:x}}}-\\x{{{:x}}}", static_cast<uint32_t>(first),
                        static_cast<uint32_t>(c));
  }
}

}  // namespace

std::string RegexClassBody(RegexSet set, bool negated) {
  std::vector<bool> members = MembersOf(RangesOf(set));
  std::string body;
  if (negated) {
    members.flip();
    for (char32_t c = kSurrogateFirst; c <= kSurrogateLast; ++c) members[c] = false;
    AppendRanges(members, body);
    return body;
  }
  const std::string_view kin = KinOf(set);
  if (kin.empty()) {
    AppendRanges(members, body);
    return body;
  }
  const std::vector<bool> known = MembersOf(kin);
  std::vector<bool> added = members;
  bool lacks = false;
  for (char32_t c = 0; c < kCodePointsEnd; ++c) {
    added[c] = members[c] && !known[c];
    lacks = lacks || (known[c] && !members[c]);
  }
  if (!lacks) body = kin;
  AppendRanges(lacks ? members : added, body);
  return body;
}

}  // namespace text
