#include "text/word_table.h"

#include <xmmintrin.h>

#include <algorithm>
#include <bit>

namespace text {
namespace {

// 2 MiB: some 30,000 words, more than ordinary text of one language has beyond the pieces.
constexpr std::size_t kCacheLines = std::size_t{1} << 15;

WordKey KeyOf(std::string_view word) {
  char bytes[2 * WordKey::kBytesMax] = {};
  std::copy(word.begin(), word.end(), bytes);
  return WordKey::Of({bytes, word.size()});
}

}  // namespace

WordTable::WordTable(const Model& model, std::span<const std::string> words)
    : model_(model), cache_(kCacheLines) {
  std::vector<std::pair<std::string_view, int32_t>> seeds;
  Scratch scratch;
  for (const std::string& word : words) {
    if (word.empty() || word.size() > kEntryBytesMax) continue;
    scratch.word_ids.clear();
    model.TokenizeWord(word, scratch.model, scratch.word_ids);
    if (scratch.word_ids.size() == 1) seeds.emplace_back(word, scratch.word_ids[0]);
  }
  entries_.resize(std::bit_ceil(seeds.size() * 3 / 2 + 1));
  mask_ = entries_.size() - 1;
  for (const auto& [word, id] : seeds) Insert(KeyOf(word), id);
}

void WordTable::Insert(const WordKey& key, int32_t id) {
  std::size_t at = IndexOf(key);
  while (entries_[at].end != 0) at = (at + 1) & mask_;
  entries_[at] = {{key.parts[0], key.parts[1], key.parts[2]}, EndOf(key), id};
}

inline const WordTable::Entry* WordTable::Find(const WordKey& key) const {
  const uint32_t end = EndOf(key);
  for (std::size_t at = IndexOf(key);; at = (at + 1) & mask_) {
    const Entry& entry = entries_[at];
    const uint64_t difference = (entry.parts[0] ^ key.parts[0]) | (entry.parts[1] ^ key.parts[1]) |
                                (entry.parts[2] ^ key.parts[2]) | (entry.end ^ end);
    if (difference == 0) return &entry;
    if (entry.end == 0) return nullptr;
  }
}

void WordTable::Tokenize(std::span<const std::string_view> words, std::size_t ids_max,
                         Scratch& scratch, std::vector<int32_t>& ids) {
  Call call{scratch, ids, ids.size(), {.words = words.size()}};
  ids.resize(call.count + words.size() + kRoom);
  for (std::size_t begin = 0; begin < words.size() && call.count < ids_max; begin += kGroup) {
    if (ids.size() - call.count < kRoom) ids.resize(2 * ids.size());
    TokenizeGroup(words.subspan(begin, std::min(kGroup, words.size() - begin)), call);
  }
  ids.resize(call.count);

  // Scratches lie apart, so that their addresses spread over the counters.
  Counters& counters = counters_[(reinterpret_cast<uintptr_t>(&scratch) >> 7) % kCounters];
  counters.words.fetch_add(call.counts.words, std::memory_order_relaxed);
  counters.remembered.fetch_add(call.counts.remembered, std::memory_order_relaxed);
  counters.split.fetch_add(call.counts.split, std::memory_order_relaxed);
}

void WordTable::TokenizeGroup(std::span<const std::string_view> words, Call& call) {
  std::array<WordKey, kGroup> keys;
  for (std::size_t i = 0; i < words.size(); ++i) {
    // A longer word gets the key of its head, which is not looked at.
    keys[i] = WordKey::Of(words[i].substr(0, WordKey::kBytesMax));
    _mm_prefetch(&entries_[IndexOf(keys[i])], _MM_HINT_T0);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Entry* entry = words[i].size() <= kEntryBytesMax ? Find(keys[i]) : nullptr;
    if (entry != nullptr) {
      call.ids[call.count++] = entry->id;
    } else {
      TokenizeRare(words[i], keys[i], call);
    }
  }
}

void WordTable::TokenizeRare(std::string_view word, const WordKey& key, Call& call) {
  const bool is_short = word.size() <= WordKey::kBytesMax;
  if (is_short) {
    if (const std::size_t count = cache_.Find(key, &call.ids[call.count])) {
      call.count += count;
      ++call.counts.remembered;
      return;
    }
  }
  std::vector<int32_t>& word_ids = call.scratch.word_ids;
  word_ids.clear();
  model_.TokenizeWord(word, call.scratch.model, word_ids);
  ++call.counts.split;
  if (is_short) cache_.Insert(key, word_ids);
  if (call.ids.size() - call.count < word_ids.size() + kRoom) {
    call.ids.resize(2 * call.ids.size() + word_ids.size());
  }
  std::copy(word_ids.begin(), word_ids.end(),
            call.ids.begin() + static_cast<std::ptrdiff_t>(call.count));
  call.count += word_ids.size();
}

WordCounts WordTable::counts() const {
  WordCounts sum;
  for (const Counters& counters : counters_) {
    sum.words += counters.words.load(std::memory_order_relaxed);
    sum.remembered += counters.remembered.load(std::memory_order_relaxed);
    sum.split += counters.split.load(std::memory_order_relaxed);
  }
  return sum;
}

std::size_t WordTable::memory_bytes() const {
  return entries_.capacity() * sizeof(Entry) + cache_.memory_bytes();
}

}  // namespace text
