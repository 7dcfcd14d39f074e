#include "text/word_cache.h"

#include <bit>
#include <cstring>

#include "common/check.h"

namespace text {
namespace {

constexpr std::size_t kPartBytes = sizeof(uint64_t);
constexpr uint64_t kVersion = uint64_t{1} << 16;

std::size_t CountParts(std::size_t bytes) { return (bytes + kPartBytes - 1) / kPartBytes; }

/// Eight bytes of the word, zero behind its end.
uint64_t PartOf(std::string_view word, std::size_t i) {
  uint64_t part;
  std::memcpy(&part, word.data() + i * kPartBytes, kPartBytes);
  const std::size_t left = word.size() - i * kPartBytes;
  return left >= kPartBytes ? part : part & ~(~uint64_t{0} << 8 * left);
}

}  // namespace

template <std::size_t kLineBytes>
WordCache<kLineBytes>::WordCache(std::size_t lines)
    : lines_(std::make_unique<Line[]>(lines)), mask_(lines - 1) {
  CHECK(std::has_single_bit(lines) && lines >= 2) << lines;
}

template <std::size_t kLineBytes>
std::size_t WordCache<kLineBytes>::Find(uint64_t hash, std::string_view word, int32_t* ids) const {
  const Line* lines = &lines_[IndexOf(hash)];
  const std::size_t count = FindIn(lines[0], word, ids);
  return count != 0 ? count : FindIn(lines[1], word, ids);
}

template <std::size_t kLineBytes>
inline std::size_t WordCache<kLineBytes>::FindIn(const Line& line, std::string_view word,
                                                 int32_t* ids) const {
  const uint64_t head = line.head.load(std::memory_order_acquire);
  if ((head >> 8 & 0xFF) != word.size() || (head & kVersion) != 0) return 0;
  const std::size_t parts = CountParts(word.size()), count = head & 0xFF;
  for (std::size_t i = 0; i < parts; ++i) {
    if (line.payload[i].load(std::memory_order_acquire) != PartOf(word, i)) return 0;
  }
  for (std::size_t i = 0; i < count; i += 2) {
    const uint64_t pair = line.payload[parts + i / 2].load(std::memory_order_acquire);
    ids[i] = static_cast<int32_t>(pair);
    ids[i + 1] = static_cast<int32_t>(pair >> 32);
  }
  // Whoever wrote any of that had made the version odd before.
  return line.head.load(std::memory_order_relaxed) == head ? count : 0;
}

template <std::size_t kLineBytes>
void WordCache<kLineBytes>::Insert(uint64_t hash, std::string_view word,
                                   std::span<const int32_t> ids) {
  if (!Fits(word.size(), ids.size())) return;
  const std::size_t parts = CountParts(word.size());
  // The one that was written less often, so that both are renewed in turn.
  Line* line = &lines_[IndexOf(hash)];
  uint64_t head = line[0].head.load(std::memory_order_relaxed);
  if (const uint64_t other = line[1].head.load(std::memory_order_relaxed); other < head) {
    ++line;
    head = other;
  }
  if ((head & kVersion) != 0) return;
  const uint64_t version = (head | 0xFFFF) + 1;  // the next one, odd
  if (!line->head.compare_exchange_strong(head, version, std::memory_order_acq_rel)) return;
  for (std::size_t i = 0; i < parts; ++i) {
    line->payload[i].store(PartOf(word, i), std::memory_order_release);
  }
  for (std::size_t i = 0; i < ids.size(); i += 2) {
    const uint64_t second = i + 1 < ids.size() ? static_cast<uint32_t>(ids[i + 1]) : 0;
    line->payload[parts + i / 2].store(second << 32 | static_cast<uint32_t>(ids[i]),
                                       std::memory_order_release);
  }
  line->head.store(version + kVersion + (word.size() << 8) + ids.size(), std::memory_order_release);
}

template class WordCache<64>;
template class WordCache<256>;

}  // namespace text
