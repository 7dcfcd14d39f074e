#include "text/models/bpe_short_words.h"

namespace text {
namespace {

constexpr uint32_t kNone = BpePairs::kNone;

}  // namespace

BpeShortWords::BpeShortWords(const std::array<uint32_t, 256>& bytes, const BpePairs& pairs)
    : bytes_(bytes), byte_pairs_(std::size_t{1} << 16, kNone) {
  for (std::size_t first = 0; first < 256; ++first) {
    for (std::size_t second = 0; second < 256; ++second) {
      if (bytes[first] == kNone || bytes[second] == kNone) continue;
      byte_pairs_[first << 8 | second] = pairs.Find(bytes[first], bytes[second]);
    }
  }
}

std::optional<std::size_t> BpeShortWords::Encode(std::string_view word, const BpePairs& pairs,
                                                 uint32_t* out) const {
  uint32_t merges[kBytesMax];  // What each piece and the next merge to.
  std::size_t previous = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    out[i] = bytes_[byte];
    if (out[i] == kNone) return std::nullopt;
    if (i > 0) merges[i - 1] = byte_pairs_[previous << 8 | byte];
    previous = byte;
  }
  return MergeShort(out, merges, word.size(), pairs);
}

}  // namespace text
