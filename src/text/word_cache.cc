#include "text/word_cache.h"

#include <bit>

#include "common/check.h"

namespace text {
namespace {

constexpr uint64_t kVersion = uint64_t{1} << 16;

std::size_t Parts(std::size_t bytes) { return (bytes + 7) / 8; }

}  // namespace

WordCache::WordCache(std::size_t lines)
    : lines_(std::make_unique<Line[]>(lines)), mask_(lines - 1) {
  CHECK(std::has_single_bit(lines) && lines >= 2) << lines;
}

std::size_t WordCache::Find(const WordKey& key, int32_t* ids) const {
  const std::size_t at = IndexOf(key);
  const std::size_t count = FindIn(lines_[at], key, ids);
  return count != 0 ? count : FindIn(lines_[at + 1], key, ids);
}

std::size_t WordCache::FindIn(const Line& line, const WordKey& key, int32_t* ids) const {
  const uint64_t head = line.head.load(std::memory_order_acquire);
  if ((head >> 8 & 0xFF) != key.size || (head & kVersion) != 0) return 0;
  const std::size_t parts = Parts(key.size), count = head & 0xFF;
  uint64_t difference = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    difference |= line.payload[i].load(std::memory_order_acquire) ^ key.parts[i];
  }
  if (difference != 0) return 0;
  for (std::size_t i = 0; i < count; i += 2) {
    const uint64_t pair = line.payload[parts + i / 2].load(std::memory_order_acquire);
    ids[i] = static_cast<int32_t>(pair);
    ids[i + 1] = static_cast<int32_t>(pair >> 32);
  }
  // Whoever wrote any of that had made the version odd before.
  return line.head.load(std::memory_order_relaxed) == head ? count : 0;
}

void WordCache::Insert(const WordKey& key, std::span<const int32_t> ids) {
  const std::size_t parts = Parts(key.size);
  if (ids.empty() || ids.size() > kIdsMax || parts + (ids.size() + 1) / 2 > kPayload) return;
  // The empty one of the two lines; else the one that was written less often, so that both are
  // renewed in turn.
  const std::size_t at = IndexOf(key);
  Line* line = &lines_[at];
  if ((line->head.load(std::memory_order_relaxed) >> 16) >
      (lines_[at + 1].head.load(std::memory_order_relaxed) >> 16)) {
    line = &lines_[at + 1];
  }
  uint64_t head = line->head.load(std::memory_order_relaxed);
  if ((head & kVersion) != 0) return;
  const uint64_t version = (head | 0xFFFF) + 1;  // the next one, odd
  if (!line->head.compare_exchange_strong(head, version, std::memory_order_acq_rel)) return;
  for (std::size_t i = 0; i < parts; ++i) {
    line->payload[i].store(key.parts[i], std::memory_order_release);
  }
  for (std::size_t i = 0; i < ids.size(); i += 2) {
    const uint64_t second = i + 1 < ids.size() ? static_cast<uint32_t>(ids[i + 1]) : 0;
    line->payload[parts + i / 2].store(second << 32 | static_cast<uint32_t>(ids[i]),
                                       std::memory_order_release);
  }
  line->head.store(version + kVersion + (uint64_t{key.size} << 8) + ids.size(),
                   std::memory_order_release);
}

}  // namespace text
