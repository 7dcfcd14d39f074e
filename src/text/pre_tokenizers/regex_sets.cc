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

struct NamedCategory {
  std::string_view name, long_name;
  GeneralCategory first, last;
};
using enum GeneralCategory;
constexpr std::array kNamedCategories = {
    NamedCategory{"L", "Letter", kLu, kLo},
    NamedCategory{"M", "Mark", kMn, kMe},
    NamedCategory{"N", "Number", kNd, kNo},
    NamedCategory{"P", "Punctuation", kPc, kPo},
    NamedCategory{"S", "Symbol", kSm, kSo},
    NamedCategory{"Z", "Separator", kZs, kZp},
    NamedCategory{"Lu", "Uppercase_Letter", kLu, kLu},
    NamedCategory{"Ll", "Lowercase_Letter", kLl, kLl},
    NamedCategory{"Lt", "Titlecase_Letter", kLt, kLt},
    NamedCategory{"Lm", "Modifier_Letter", kLm, kLm},
    NamedCategory{"Lo", "Other_Letter", kLo, kLo},
    NamedCategory{"Mn", "Nonspacing_Mark", kMn, kMn},
    NamedCategory{"Mc", "Spacing_Mark", kMc, kMc},
    NamedCategory{"Me", "Enclosing_Mark", kMe, kMe},
    NamedCategory{"Nd", "Decimal_Number", kNd, kNd},
    NamedCategory{"Nl", "Letter_Number", kNl, kNl},
    NamedCategory{"No", "Other_Number", kNo, kNo},
    NamedCategory{"Pc", "Connector_Punctuation", kPc, kPc},
    NamedCategory{"Pd", "Dash_Punctuation", kPd, kPd},
    NamedCategory{"Ps", "Open_Punctuation", kPs, kPs},
    NamedCategory{"Pe", "Close_Punctuation", kPe, kPe},
    NamedCategory{"Pi", "Initial_Punctuation", kPi, kPi},
    NamedCategory{"Pf", "Final_Punctuation", kPf, kPf},
    NamedCategory{"Po", "Other_Punctuation", kPo, kPo},
    NamedCategory{"Sm", "Math_Symbol", kSm, kSm},
    NamedCategory{"Sc", "Currency_Symbol", kSc, kSc},
    NamedCategory{"Sk", "Modifier_Symbol", kSk, kSk},
    NamedCategory{"So", "Other_Symbol", kSo, kSo},
    NamedCategory{"Zs", "Space_Separator", kZs, kZs},
    NamedCategory{"Zl", "Line_Separator", kZl, kZl},
    NamedCategory{"Zp", "Paragraph_Separator", kZp, kZp},
    NamedCategory{"Cc", "Control", kCc, kCc},
    NamedCategory{"Cf", "Format", kCf, kCf},
    NamedCategory{"Co", "Private_Use", kCo, kCo},
};

/// Oniguruma's \w is the one of added tokens, but for these.
Ranges WordRanges() {
  constexpr CodePointRange kLacking = {0x200C, 0x200D};
  Ranges ranges = {{0xB2, 0xB3}, {0xB9, 0xB9}, {0xBC, 0xBE}};
  for (const CodePointRange& range : kWordCharacters) {
    if (range.first != kLacking.first) ranges.push_back(range);
  }
  return ranges;
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

std::optional<RegexSet> RegexSetOfEscape(char lower_letter) {
  switch (lower_letter) {
    case 's':
      return RegexSet{{kWhitespace.begin(), kWhitespace.end()}, ""};
    case 'd':
      return RegexSetOfProperty("Nd");
    case 'w':
      return RegexSet{WordRanges(), "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}"};
    case 'h':
      return RegexSet{{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, ""};
    default:
      return std::nullopt;
  }
}

std::optional<RegexSet> RegexSetOfProperty(std::string_view name) {
  for (const NamedCategory& named : kNamedCategories) {
    if (name != named.name && name != named.long_name) continue;
    RegexSet set{{}, fmt::format("\\p{{{}}}", named.name)};
    for (const auto& [first, last, category] : kCategoryRanges) {
      if (category >= named.first && category <= named.last) set.ranges.push_back({first, last});
    }
    return set;
  }
  return std::nullopt;
}

std::string RegexClassBody(const RegexSet& set, bool negated) {
  std::vector<bool> members = MembersOf(set.ranges);
  std::string body;
  if (negated) {
    members.flip();
    for (char32_t c = kSurrogateFirst; c <= kSurrogateLast; ++c) members[c] = false;
  } else if (!set.kin.empty()) {
    const std::vector<bool> known = MembersOf(set.kin);
    std::vector<bool> added = members;
    bool lacks_none = true;
    for (char32_t c = 0; c < kCodePointsEnd; ++c) {
      added[c] = members[c] && !known[c];
      lacks_none = lacks_none && (members[c] || !known[c]);
    }
    if (lacks_none) {
      body = set.kin;
      members = std::move(added);
    }
  }
  AppendRanges(members, body);
  return body;
}

}  // namespace text
