#include "text/word_table.h"

#include <xmmintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace text {
namespace {

// 2 MiB: some 30,000 words, more than ordinary text of one language has beyond the pieces.
constexpr std::size_t kShortLines = std::size_t{1} << 15;
// 4 MiB for what has no blanks (Thai, Chinese, addresses) or many ids.
constexpr std::size_t kLongLines = std::size_t{1} << 14;

WordKey KeyOf(std::string_view word) {
  char bytes[2 * WordKey::kBytesMax] = {};
  std::copy(word.begin(), word.end(), bytes);
  return WordKey::Of({bytes, word.size()});
}

/// Of all bytes of a word that is too long for a WordKey.
uint64_t HashOf(std::string_view word) {
  uint64_t hash = word.size();
  for (std::size_t at = 0; at < word.size(); at += sizeof(uint64_t)) {
    uint64_t part = 0;
    std::memcpy(&part, word.data() + at, std::min(sizeof(part), word.size() - at));
    hash = (std::rotl(hash, 29) ^ part) * 0xA4093822299F31D1;
  }
  return hash >> 24;
}

}  // namespace

WordTable::WordTable(const Model& model, std::span<const std::string> words)
    : model_(model), short_words_(kShortLines), long_words_(kLongLines) {
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
  for (const auto& [word, id] : seeds) Insert(word, id);
}

void WordTable::Insert(std::string_view word, int32_t id) {
  std::size_t at = IndexOf(KeyOf(word));
  while (entries_[at].size != 0) at = (at + 1) & mask_;
  Entry& entry = entries_[at];
  std::copy(word.begin(), word.end(), entry.bytes.begin());
  entry.size = static_cast<uint8_t>(word.size());
  entry.id = id;
}

inline const WordTable::Entry* WordTable::Find(const WordKey& key) const {
  const __m128i size = _mm_slli_si128(_mm_cvtsi64_si128(static_cast<int64_t>(key.size)), 11);
  const __m128i high = _mm_or_si128(key.high, size);
  const __m128i id = _mm_set_epi32(-1, 0, 0, 0);
  for (std::size_t at = IndexOf(key);; at = (at + 1) & mask_) {
    const auto* vectors = reinterpret_cast<const __m128i*>(&entries_[at]);
    const __m128i same_low = _mm_cmpeq_epi8(vectors[0], key.low);
    const __m128i same_high = _mm_or_si128(_mm_cmpeq_epi8(vectors[1], high), id);
    if (_mm_movemask_epi8(_mm_and_si128(same_low, same_high)) == 0xFFFF) return &entries_[at];
    if (entries_[at].size == 0) return nullptr;
  }
}

void WordTable::Tokenize(std::span<const std::string_view> words, std::size_t ids_max,
                         Scratch& scratch, std::vector<int32_t>& ids) {
  Call call{scratch, 0, {.words = words.size()}};
  const std::size_t count_max = ids_max - std::min(ids_max, ids.size());
  for (std::size_t begin = 0; begin < words.size() && call.count < count_max; begin += kGroup) {
    if (scratch.ids.size() - call.count < kRoom) scratch.ids.resize(2 * call.count + kRoom);
    TokenizeGroup(words.subspan(begin, std::min(kGroup, words.size() - begin)), call);
  }
  ids.insert(ids.end(), scratch.ids.begin(),
             scratch.ids.begin() + static_cast<std::ptrdiff_t>(call.count));

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
  int32_t* next = call.scratch.ids.data() + call.count;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Entry* entry = words[i].size() <= kEntryBytesMax ? Find(keys[i]) : nullptr;
    if (entry != nullptr) {
      *next++ = entry->id;
    } else {
      call.count = static_cast<std::size_t>(next - call.scratch.ids.data());
      TokenizeRare(words[i], keys[i], call);
      next = call.scratch.ids.data() + call.count;
    }
  }
  call.count = static_cast<std::size_t>(next - call.scratch.ids.data());
}

void WordTable::TokenizeRare(std::string_view word, const WordKey& key, Call& call) {
  std::vector<int32_t>& ids = call.scratch.ids;
  const bool is_short = word.size() <= WordKey::kBytesMax;
  const bool is_kept = word.size() <= LongWords::kWordBytesMax;
  const uint64_t hash = is_short ? key.hash : is_kept ? HashOf(word) : 0;
  std::size_t count = is_short ? short_words_.Find(hash, word, &ids[call.count]) : 0;
  if (count == 0 && is_kept) count = long_words_.Find(hash, word, &ids[call.count]);
  if (count > 0) {
    call.count += count;
    ++call.counts.remembered;
    return;
  }
  std::vector<int32_t>& word_ids = call.scratch.word_ids;
  word_ids.clear();
  model_.TokenizeWord(word, call.scratch.model, word_ids);
  ++call.counts.split;
  if (is_short && ShortWords::Fits(word.size(), word_ids.size())) {
    short_words_.Insert(hash, word, word_ids);
  } else if (is_kept) {
    long_words_.Insert(hash, word, word_ids);
  }
  if (ids.size() - call.count < word_ids.size() + kRoom) {
    ids.resize(2 * call.count + word_ids.size() + kRoom);
  }
  std::copy(word_ids.begin(), word_ids.end(),
            ids.begin() + static_cast<std::ptrdiff_t>(call.count));
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
  return entries_.capacity() * sizeof(Entry) + short_words_.memory_bytes() +
         long_words_.memory_bytes();
}

}  // namespace text
