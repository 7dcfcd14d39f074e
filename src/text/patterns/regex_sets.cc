#include "text/patterns/regex_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "common/check.h"
#include "text/patterns/pcre2_handles.h"
#include "text/unicode/category_tables.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

using Ranges = std::vector<CodePointRange>;

// No range of a set spans the surrogates between.
constexpr std::array kAllCharacters = {CodePointRange{0, 0xD7FF}, CodePointRange{0xE000, 0x10FFFF}};

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

void Append(char32_t first, char32_t last, Ranges& ranges) {
  if (!ranges.empty() && ranges.back().last + 1 == first) {
    ranges.back().last = last;
  } else {
    ranges.push_back({first, last});
  }
}

/// Oniguruma's \w is the one of added tokens, but for these; the small numbers of Latin-1 are words
/// only outside of brackets.
Ranges WordRanges(bool in_class) {
  constexpr CodePointRange kLacking = {0x200C, 0x200D};
  Ranges ranges;
  if (!in_class) ranges = {{0xB2, 0xB3}, {0xB9, 0xB9}, {0xBC, 0xBE}};
  for (const CodePointRange& range : kWordCharacters) {
    if (range.first != kLacking.first) ranges.push_back(range);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const CodePointRange& a, const CodePointRange& b) { return a.first < b.first; });
  return ranges;
}

/// All of `ranges` that is not in `taken`; both in order.
Ranges Subtract(const Ranges& ranges, const Ranges& taken) {
  Ranges rest;
  auto next = taken.begin();
  for (auto [first, last] : ranges) {
    while (next != taken.end() && next->last < first) ++next;
    for (auto cut = next; cut != taken.end() && cut->first <= last; ++cut) {
      if (first < cut->first) rest.push_back({first, cut->first - 1});
      first = cut->last + 1;
    }
    if (first <= last) rest.push_back({first, last});
  }
  return rest;
}

Pcre2Ptr<pcre2_code> Compile(const std::string& pattern) {
  int error = 0;
  PCRE2_SIZE place = 0;
  return Pcre2Ptr<pcre2_code>(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()),
                                            pattern.size(), PCRE2_UTF, &error, &place, nullptr));
}

std::string MakeAllCharacters() {
  std::string all;
  for (const auto& [first, last] : kAllCharacters) {
    for (char32_t c = first; c <= last; ++c) AppendUtf8(c, all);
  }
  return all;
}

/// The code points that PCRE2 matches with a class of this body.
Ranges MatchedBy(std::string_view body) {
  const Pcre2Ptr<pcre2_code> code = Compile(fmt::format("[{}]+", body));
  CHECK(code != nullptr) << body;
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  const std::string all = MakeAllCharacters();
  const Pcre2Ptr<pcre2_match_data> data(pcre2_match_data_create(1, nullptr));
  Ranges ranges;
  for (std::size_t at = 0;
       pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(all.data()), all.size(), at,
                   PCRE2_NO_UTF_CHECK, data.get(), nullptr) > 0;) {
    const PCRE2_SIZE* match = pcre2_get_ovector_pointer(data.get());
    std::size_t begin = match[0];
    at = match[1];
    const char32_t first = DecodeUtf8(all, begin);
    ranges.push_back({first, LastCodePoint(std::string_view(all).substr(0, at))});
  }
  return ranges;
}

void AppendRanges(const Ranges& ranges, std::string& body) {
  for (const auto& [first, last] : ranges) {
    body += fmt::format("\\x{{{:x}}}-\\x{{{:x}}}", static_cast<uint32_t>(first),
                        static_cast<uint32_t>(last));
  }
}

}  // namespace

std::optional<RegexSet> RegexSetOfEscape(char lower_letter, bool in_class) {
  switch (lower_letter) {
    case 's':
      return RegexSet{{kWhitespace.begin(), kWhitespace.end()}, ""};
    case 'd':
      return RegexSetOfProperty("Nd");
    case 'w':
      return RegexSet{WordRanges(in_class), "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}"};
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
    ForEachCategoryRange([&](const CategoryRange& range) {
      if (range.category < named.first || range.category > named.last) return;
      Append(range.first, range.last, set.ranges);
    });
    return set;
  }
  return std::nullopt;
}

bool IsScriptName(std::string_view name) {
  return Compile(fmt::format("\\p{{sc:{}}}", name)) != nullptr;
}

std::string RegexClassBody(const RegexSet& set, bool negated) {
  std::string body;
  Ranges ranges = set.ranges;
  if (negated) {
    ranges = Subtract({kAllCharacters.begin(), kAllCharacters.end()}, ranges);
  } else if (!set.kin.empty()) {
    const Ranges known = MatchedBy(set.kin);
    if (Subtract(known, ranges).empty()) {
      body = set.kin;
      ranges = Subtract(ranges, known);
    }
  }
  AppendRanges(ranges, body);
  return body;
}

}  // namespace text
