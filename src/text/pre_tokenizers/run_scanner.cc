#include "text/pre_tokenizers/run_scanner.h"

#include "text/unicode/utf8.h"

namespace text {

RunScanner::Masks RunScanner::MasksAt(std::string_view text, std::size_t at) const {
  const ByteWindow bytes(text.data() + at);
  Masks masks;
  masks.size = std::min(text.size() - at, ByteWindow::kBytes);
  masks.spaces = bytes.Equal(' ') | bytes.InRange('\t', '\r');
  if ((alone_ & kPunctuationCategory) != 0) {
    masks.alone = bytes.InRange('!', '~') & ~(bytes.AsciiLetters() | bytes.InRange('0', '9'));
  }
  if (const uint64_t high = bytes.High() & LowBits(masks.size); high != 0) {
    ClassifyBeyondAscii(text, at, bytes, high, masks);
  }
  return masks;
}

void RunScanner::ClassifyBeyondAscii(std::string_view text, std::size_t at, const ByteWindow& bytes,
                                     uint64_t high, Masks& masks) const {
  masks.size = WholeCharacters(text, at);
  masks.continuations = bytes.Continuations();
  uint64_t leads = high & ~masks.continuations & LowBits(masks.size);
  // Whitespace begins with few bytes only.
  leads &= alone_ == 0 ? bytes.Equal('\xC2') | bytes.InRange(0xE1, 0xE3) : ~LetterLeads(bytes);
  for (; leads != 0; leads &= leads - 1) {
    const auto first = static_cast<std::size_t>(std::countr_zero(leads));
    std::size_t end = at + first;
    const uint8_t category = categories_[DecodeUtf8(text, end)];
    const uint64_t mask = LowBits(end - at) & ~LowBits(first);
    if ((category & kSpaceCategory) != 0) masks.spaces |= mask;
    if ((category & alone_) != 0) masks.alone |= mask;
  }
}

bool RunScanner::CanCut(std::string_view text, std::size_t at) const {
  return EndsWords(LastCodePoint(text.substr(0, at))) || EndsWords(DecodeUtf8(text, at));
}

}  // namespace text
