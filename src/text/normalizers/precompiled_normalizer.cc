#include "text/normalizers/precompiled_normalizer.h"

#include <emmintrin.h>

#include <bit>
#include <string>
#include <unordered_map>

#include "absl/strings/escaping.h"
#include "text/unicode/hangul.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

constexpr std::size_t kWholeClusterBytesEnd = 6;
constexpr char32_t kPrintableFirst = 0x20, kPrintableLast = 0x7E;

bool IsPrintable(char byte) {
  return byte >= static_cast<char>(kPrintableFirst) && byte <= static_cast<char>(kPrintableLast);
}

bool IsControl(GraphemeBreak value) {
  return value == GraphemeBreak::kControl || value == GraphemeBreak::kCr ||
         value == GraphemeBreak::kLf;
}

// Sets of GraphemeBreak as bits. No two plain characters side by side are one cluster, and a mark
// joins a plain one; what is joined may go on with a cluster whose marks hold a joiner.
constexpr uint32_t Bit(GraphemeBreak value) { return 1u << static_cast<uint32_t>(value); }
constexpr uint32_t kJoiners = Bit(GraphemeBreak::kLinker) | Bit(GraphemeBreak::kZwj);
constexpr uint32_t kMarks = kJoiners | Bit(GraphemeBreak::kExtend) |
                            Bit(GraphemeBreak::kBareExtend) | Bit(GraphemeBreak::kSpacingMark);
constexpr uint32_t kJoined = Bit(GraphemeBreak::kConsonant) | Bit(GraphemeBreak::kPictograph);
constexpr uint32_t kPlain = kJoined | Bit(GraphemeBreak::kOther) | Bit(GraphemeBreak::kLeadVowel) |
                            Bit(GraphemeBreak::kLeadVowelTrail);

}  // namespace

PrecompiledNormalizer::PrecompiledNormalizer(Charsmap charsmap) : charsmap_(std::move(charsmap)) {
  for (const auto& [first, last, value] : kGraphemeBreaks) {
    for (char32_t c = first; c <= last; ++c) facts_.At(c) = static_cast<Facts>(value);
  }
  for (char32_t c = kSyllableFirst; c <= kSyllableLast; ++c) {
    facts_.At(c) = static_cast<Facts>(BreakOfSyllable(c));
  }
  SetValues();
  for (char32_t c = kPrintableFirst; c <= kPrintableLast; ++c) skips_printable_ &= facts_[c] == 0;
}

absl::StatusOr<std::unique_ptr<Normalizer>> PrecompiledNormalizer::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "precompiled_charsmap"}));
  ASSIGN_OR_RETURN(const common::JsonView base64, json.Member("precompiled_charsmap"));
  ASSIGN_OR_RETURN(const std::string_view text, base64.AsString());
  std::string blob;
  if (!absl::Base64Unescape({text.data(), text.size()}, &blob)) return base64.Expected("base64");
  auto charsmap = Charsmap::FromBlob(blob);
  if (!charsmap.ok()) {
    const auto message = charsmap.status().message();
    return base64.Error({message.data(), message.size()});
  }
  return std::make_unique<PrecompiledNormalizer>(*std::move(charsmap));
}

// Asks the charsmap for the value of every character, in blocks of 64 that share all bytes but the
// last: most of them have none.
void PrecompiledNormalizer::SetValues() {
  std::unordered_map<const char*, Facts> numbers;
  std::string utf8;
  for (char32_t block = 0; block < 0x110000; block += 64) {
    if (block >= 0xD800 && block < 0xE000) continue;
    if (block >= 0x80) {
      utf8.clear();
      AppendUtf8(block, utf8);
      utf8.pop_back();
      if (!charsmap_.Leads(utf8)) continue;
    }
    for (char32_t c = block; c < block + 64; ++c) {
      utf8.clear();
      AppendUtf8(c, utf8);
      const auto value = charsmap_.Find(utf8);
      if (!value) continue;
      const auto [number, is_new] = numbers.emplace(value->data(), values_.size() + 1);
      if (is_new) values_.push_back(*value);
      facts_.At(c) |= number->second << kBreakBits;
    }
  }
}

// Where the run of printable ASCII at `at` ends.
std::size_t PrecompiledNormalizer::SkipPrintable(std::string_view text, std::size_t at) const {
  const __m128i before = _mm_set1_epi8(kPrintableFirst - 1), del = _mm_set1_epi8(0x7F);
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    // As signed bytes, those above ASCII are below all of it.
    const __m128i printable =
        _mm_andnot_si128(_mm_cmpeq_epi8(bytes, del), _mm_cmpgt_epi8(bytes, before));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(printable));
    if (mask != 0xFFFF) return at + static_cast<std::size_t>(std::countr_one(mask));
  }
  while (at < text.size() && IsPrintable(text[at])) ++at;
  return at;
}

template <typename Replace>
void PrecompiledNormalizer::ForEachReplacement(std::string_view text, Replace replace) const {
  GraphemeCutter cutter;
  std::size_t begin = 0, at = 0;  // The cluster so far.
  bool mapped = false;            // Whether a character of it has a value.
  while (at < text.size()) {
    if (begin == at) {
      at = begin = SkipPlain(text, at);
      if (at == text.size()) return;
      cutter = GraphemeCutter();
    }
    const std::size_t here = at;
    const Facts facts = facts_[DecodeUtf8(text, at)];
    if (cutter.Begins(BreakOf(facts)) && here > begin) {
      ReplaceIn(text, begin, here, mapped, replace);
      begin = here;
      mapped = false;
      if ((BitOf(facts) & kPlain) != 0) at = here;
    }
    mapped |= facts >> kBreakBits != 0;
  }
  ReplaceIn(text, begin, at, mapped, replace);
}

// Passes over clusters, from the one at `at` on, that stay as they are: a plain character, alone or
// with marks that make the whole too long to be looked up. Returns where the last of them begins,
// as what follows may join it, or the end of the text.
std::size_t PrecompiledNormalizer::SkipPlain(std::string_view text, std::size_t at) const {
  std::size_t last = at;
  uint32_t marks = 0;  // Of the cluster at `last`.
  while (at < text.size()) {
    if (marks == 0 && skips_printable_ && at + 1 < text.size() && IsPrintable(text[at]) &&
        IsPrintable(text[at + 1])) {
      at = SkipPrintable(text, at);
      last = at - 1;
      continue;
    }
    const std::size_t here = at;
    const Facts facts = facts_[DecodeUtf8(text, at)];
    if ((facts | marks) == 0) {  // Most often.
      last = here;
      continue;
    }
    const uint32_t bit = BitOf(facts);
    if ((bit & kMarks) != 0 && here > last) {
      marks |= bit;
      continue;
    }
    const bool begins = (bit & kPlain) != 0 && ((marks & kJoiners) == 0 || (bit & kJoined) == 0);
    const bool whole = marks != 0 && here - last < kWholeClusterBytesEnd;
    if (!begins || whole) return last;
    last = here;
    marks = 0;
  }
  return marks == 0 ? at : last;
}

// Replaces what the cluster [begin, end) asks for.
template <typename Replace>
void PrecompiledNormalizer::ReplaceIn(std::string_view text, std::size_t begin, std::size_t end,
                                      bool mapped, Replace replace) const {
  std::size_t at = begin;
  const Facts first = facts_[DecodeUtf8(text, at)];
  if (at == end) {
    if (mapped) replace(begin, end, values_[(first >> kBreakBits) - 1]);
    return;
  }
  if (end - begin < kWholeClusterBytesEnd) {
    if (const auto value = charsmap_.Find(text.substr(begin, end - begin))) {
      return replace(begin, end, *value);
    }
  }
  if (!mapped) return;
  for (at = begin; at < end;) {
    const std::size_t here = at;
    const Facts value = facts_[DecodeUtf8(text, at)] >> kBreakBits;
    if (value != 0) replace(here, at, values_[value - 1]);
  }
}

void PrecompiledNormalizer::Normalize(std::string_view text, NormalizerScratch&,
                                      std::string& out) const {
  std::size_t copied = 0;
  ForEachReplacement(text, [&](std::size_t begin, std::size_t end, std::string_view value) {
    out.append(text, copied, begin - copied);
    out.append(value);
    copied = end;
  });
  out.append(text, copied);
}

// The library counts changes over the whole text: a part that loses characters takes them from its
// last new one, or if it has none from that of the part before.
void PrecompiledNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const {
  const std::string_view bytes = text.bytes();
  std::vector<AlignedText::Change>& changes = scratch.changes;
  changes.clear();
  std::size_t done = 0;
  const auto push = [&](std::string_view part) {
    for (std::size_t at = 0; at < part.size();) changes.push_back({DecodeUtf8(part, at), 0});
  };
  bool changed = false;
  ForEachReplacement(bytes, [&](std::size_t begin, std::size_t end, std::string_view value) {
    push(bytes.substr(done, begin - done));
    push(value);
    done = end;
    changed = true;
    const auto added = static_cast<int>(CountCodePoints(value)) -
                       static_cast<int>(CountCodePoints(bytes.substr(begin, end - begin)));
    for (int i = 0; i < added; ++i)
      changes[changes.size() - 1 - static_cast<std::size_t>(i)].change = 1;
    if (added < 0 && !changes.empty()) changes.back().change += added;
  });
  if (!changed) return;
  push(bytes.substr(done));
  text.Transform(0, bytes.size(), changes);
}

bool PrecompiledNormalizer::CanCut(std::string_view text, std::size_t at) const {
  const GraphemeBreak before = BreakOf(facts_[LastCodePoint(text.substr(0, at))]);
  std::size_t next = at;
  const GraphemeBreak after = BreakOf(facts_[DecodeUtf8(text, next)]);
  if (IsControl(after)) return before != GraphemeBreak::kCr || after != GraphemeBreak::kLf;
  return after == GraphemeBreak::kOther && before != GraphemeBreak::kPrepend;
}

}  // namespace text
