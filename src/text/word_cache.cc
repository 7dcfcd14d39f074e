#include "text/word_cache.h"

#include <bit>

#include "common/check.h"

namespace text {
namespace {

constexpr uint64_t kVersion = uint64_t{1} << 16;

uint64_t TagOf(uint64_t hash) { return hash >> 32 & 0xFF; }

uint64_t Pair(std::span<const int32_t> ids, std::size_t i) {
  const uint64_t second = i + 1 < ids.size() ? static_cast<uint32_t>(ids[i + 1]) : 0;
  return second << 32 | static_cast<uint32_t>(ids[i]);
}

}  // namespace

template <std::size_t kKeyParts, std::size_t kIdParts>
WordCache<kKeyParts, kIdParts>::WordCache(std::size_t lines)
    : lines_(std::make_unique<Line[]>(lines)), mask_(lines - 1) {
  CHECK(std::has_single_bit(lines) && lines >= kWays) << lines;
}

template <std::size_t kKeyParts, std::size_t kIdParts>
std::size_t WordCache<kKeyParts, kIdParts>::Find(uint64_t hash, const Key& key,
                                                 int32_t* ids) const {
  const Line* line = &lines_[SetOf(hash)];
  for (const Line* const end = line + kWays; line != end; ++line) {
    const uint64_t head = line->head.load(std::memory_order_acquire);
    if (head == 0) return 0;
    if ((head >> 8 & 0xFF) != TagOf(hash) || (head & kVersion) != 0) continue;
    uint64_t difference = 0;
    for (std::size_t i = 0; i < kKeyParts; ++i) {
      difference |= line->key[i].load(std::memory_order_acquire) ^ key[i];
    }
    const std::size_t count = head & 0xFF;
    const std::size_t parts = count <= 2 * kFirstIdParts ? kFirstIdParts : (count + 1) / 2;
    for (std::size_t i = 0; i < parts; ++i) {
      const uint64_t pair = line->ids[i].load(std::memory_order_acquire);
      ids[2 * i] = static_cast<int32_t>(pair);
      ids[2 * i + 1] = static_cast<int32_t>(pair >> 32);
    }
    // Whoever wrote any of that had made the version odd before.
    if (difference == 0 && line->head.load(std::memory_order_relaxed) == head) return count;
  }
  return 0;
}

template <std::size_t kKeyParts, std::size_t kIdParts>
void WordCache<kKeyParts, kIdParts>::Insert(uint64_t hash, const Key& key,
                                            std::span<const int32_t> ids) {
  if (ids.empty() || ids.size() > kIdsMax) return;
  Line* const set = &lines_[SetOf(hash)];
  Line* line = set;
  uint64_t head = line->head.load(std::memory_order_relaxed);
  for (std::size_t way = 1; way < kWays; ++way) {
    const uint64_t other = set[way].head.load(std::memory_order_relaxed);
    if (other >> 16 >= head >> 16) continue;
    line = &set[way];
    head = other;
  }
  if ((head & kVersion) != 0) return;
  const uint64_t version = (head | 0xFFFF) + 1;  // the next one, odd
  if (!line->head.compare_exchange_strong(head, version, std::memory_order_acq_rel)) return;
  for (std::size_t i = 0; i < kKeyParts; ++i) {
    line->key[i].store(key[i], std::memory_order_release);
  }
  for (std::size_t i = 0; i < ids.size(); i += 2) {
    line->ids[i / 2].store(Pair(ids, i), std::memory_order_release);
  }
  line->head.store(version + kVersion + (TagOf(hash) << 8) + ids.size(), std::memory_order_release);
}

template class WordCache<4, 11>;
template class WordCache<15, 16>;

}  // namespace text
