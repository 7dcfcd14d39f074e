#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "common/avx2.h"
#include "common/check.h"
#include "fuzz_input.h"
#include "scalar_utf8.h"
#include "text/added_tokens.h"
#include "text/normalizers/character_forms.h"
#include "text/normalizers/replace_byte.h"
#include "text/piece_table.h"
#include "text/piece_table_avx2.h"
#include "text/piece_table_sse2.h"
#include "text/unicode/utf8.h"

// What text does with many bytes at a time, beside plain loops over one byte or character: places
// and counts of bytes, UTF-8, replacements, forms of characters, added tokens, the table of pieces.

namespace {

/// Many starts, so that every distance to the next whole vector is seen.
void CheckBytes(std::string_view bytes, char byte) {
  for (std::size_t begin = 0; begin < std::min<std::size_t>(bytes.size(), 20); ++begin) {
    const std::string_view rest = bytes.substr(begin);
    CHECK(text::AsciiEnd(bytes, begin) == begin + scalar::AsciiCount(rest)) << begin;
    CHECK(text::CountBytes(rest, byte) ==
          static_cast<std::size_t>(std::count(rest.begin(), rest.end(), byte)));
    CHECK(text::IsValidUtf8(rest) == scalar::IsValidUtf8(rest)) << begin;
  }
  std::string valid;
  text::AppendValidUtf8(bytes, valid);
  CHECK(valid == scalar::ValidUtf8(bytes)) << valid;
  CHECK(text::CountCodePoints(valid) == scalar::Characters(valid).size());
}

void CheckReplacement(std::string_view text, char byte, std::string_view content) {
  std::string expected = "before", replaced = "before";
  for (const char c : text) {
    if (c == byte) {
      expected += content;
    } else {
      expected += c;
    }
  }
  text::ReplaceByte(text, byte, content, replaced);
  CHECK(replaced == expected) << replaced;
}

text::CharacterForms MakeForms(bool cleans, bool lowers) {
  text::CharacterForms forms(cleans, lowers);
  forms.Set(U'\u00C9', "e");
  forms.Set(U'\u00DF', "ss");
  forms.Set(U'\u0301', "");
  forms.SetUnknown(U'\u0130');
  for (char32_t c = 0x4E00; c < 0xA000; ++c) forms.SetSpaced(c);
  for (char32_t c = 0xAC00; c < 0xD7A4; ++c) forms.SetSyllable(c);
  forms.Finish();
  return forms;
}

/// All forms of a text; unknown characters become '?'.
std::string FormsOf(const text::CharacterForms& forms, std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = forms.Append(text, at, out);
    CHECK(at <= end && end <= text.size());
    if (end == at) {
      out += '?';
      text::DecodeUtf8(text, at);
    } else {
      at = end;
    }
  }
  return out;
}

void CheckForms(std::string_view text) {
  static const std::array forms = {MakeForms(false, false), MakeForms(true, false),
                                   MakeForms(false, true), MakeForms(true, true)};
  for (const text::CharacterForms& rules : forms) {
    std::string expected;
    for (const std::string_view character : scalar::Characters(text)) {
      expected += FormsOf(rules, character);
    }
    CHECK(FormsOf(rules, text) == expected) << text;
  }
}

/// Tokens between whitespace in `contents` that are looked for by comparing at each place.
void CheckAddedTokens(std::string_view contents, std::string_view text) {
  std::map<std::string, int32_t> ids;
  std::vector<text::AddedToken> tokens;
  FuzzInput list(reinterpret_cast<const uint8_t*>(contents.data()), contents.size());
  while (!list.empty() && tokens.size() < 12) {
    const std::string content(list.TakeUntil(' '));
    if (content.empty() || !ids.emplace(content, tokens.size()).second) continue;
    tokens.push_back({.content = content, .id = static_cast<int32_t>(tokens.size())});
  }
  const text::AddedTokens added(tokens);
  text::AddedTokens::Scanner scanner(added, text, false);
  std::size_t at = 0;
  for (text::AddedTokens::Piece piece; scanner.Next(piece); at += piece.text.size()) {
    CHECK(piece.text.data() == text.data() + at && !piece.text.empty());
    const auto longest = [&](std::size_t from) {
      std::pair<std::size_t, int32_t> best = {0, -1};
      for (const auto& [content, id] : ids) {
        if (text.substr(from).starts_with(content)) best = std::max(best, {content.size(), id});
      }
      return best;
    };
    std::size_t begin = at;
    while (begin < text.size() && longest(begin).first == 0) ++begin;
    if (begin > at) {
      CHECK(!piece.id && piece.text.size() == begin - at) << at;
    } else {
      CHECK(piece.id == longest(at).second && piece.text.size() == longest(at).first) << at;
    }
  }
  CHECK(at == text.size()) << at;
}

/// Words of `words`, cut at spaces: some go into the table, all are looked up.
void CheckPieceTable(std::string_view words) {
  using text::PieceTable;
  const std::string padded = std::string(words) + std::string(PieceTable::kReadBytes, 'x');
  words = std::string_view(padded).substr(0, words.size());
  std::vector<std::string_view> all;
  std::map<std::string_view, int32_t> ids;
  PieceTable table(words.size());
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (word.empty() || word.find('\xFF') != word.npos) continue;
    all.push_back(word);
    const bool kept = word.size() <= PieceTable::kBytesMax && word.back() % 2 == 0;
    if (!kept || !ids.emplace(word, static_cast<int32_t>(ids.size())).second) continue;
    table.Insert(word, ids[word]);
  }
  static const bool has_avx2 = [] {
    if (!common::HasAvx2()) std::fputs("skipped: this processor has no AVX2\n", stderr);
    return common::HasAvx2();
  }();
  for (std::size_t begin = 0; begin < all.size(); begin += PieceTable::kGroup) {
    const std::span group(all.data() + begin, std::min(PieceTable::kGroup, all.size() - begin));
    PieceTable::Found narrow{}, wide{};
    text::PieceTableFindSse2(table, group, narrow);
    has_avx2 ? text::PieceTableFindAvx2(table, group, wide) : table.Find(group, wide);
    CHECK(narrow.missing == wide.missing);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto found = ids.find(group[i]);
      const bool missing = (narrow.missing >> i & 1) != 0;
      CHECK(missing == (found == ids.end())) << group[i];
      CHECK(narrow.keys[i] == wide.keys[i] && narrow.hashes[i] == wide.hashes[i]) << group[i];
      if (!missing) CHECK(narrow.ids[i] == found->second && wide.ids[i] == found->second);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const char byte = input.Take<char>();
  const std::string_view first = input.TakeUntil('\n');
  const std::string bytes(input.rest());  // Of its own, so that reading beyond it is seen.
  CheckBytes(bytes, byte);
  CheckReplacement(bytes, byte, first.substr(0, text::kReplacementBytesMax));
  CheckAddedTokens(first, bytes);
  CheckPieceTable(bytes);
  std::string text;
  text::AppendValidUtf8(bytes, text);
  CheckForms(text);
  return 0;
}
