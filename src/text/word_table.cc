#include "text/word_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace text {
namespace {

// 8 MiB: some 50,000 words, more than ordinary text of many languages has beyond the pieces.
constexpr std::size_t kShortLines = std::size_t{1} << 16;
// 4 MiB.
constexpr std::size_t kLongLines = std::size_t{1} << 14;

LongWordCache::Key LongKeyOf(std::string_view word) {
  LongWordCache::Key key;
  key.fill(~uint64_t{0});
  std::memcpy(key.data(), word.data(), word.size());
  return key;
}

/// Of a word of `size` bytes.
uint64_t HashOf(const LongWordCache::Key& key, std::size_t size) {
  uint64_t hash = 0;
  for (std::size_t i = 0; i < size; i += sizeof(key[0])) {
    hash = (std::rotl(hash, 29) ^ key[i / sizeof(key[0])]) * 0xA4093822299F31D1;
  }
  return hash >> 24;
}

/// The words that `model` makes one token of.
PieceTable MakePieces(const Model& model, std::span<const std::string> words) {
  std::vector<std::pair<std::string_view, int32_t>> pieces;
  WordTable::Scratch scratch;
  for (const std::string& word : words) {
    const bool fits = !word.empty() && word.size() <= PieceTable::kBytesMax;
    if (!fits || word.find('\xFF') != std::string::npos) continue;
    scratch.word_ids.clear();
    model.TokenizeWord(word, scratch.model, scratch.word_ids);
    if (scratch.word_ids.size() == 1) pieces.emplace_back(word, scratch.word_ids[0]);
  }
  PieceTable table(pieces.size());
  for (const auto& [word, id] : pieces) table.Insert(word, id);
  return table;
}

}  // namespace

WordTable::WordTable(const Model& model, std::span<const std::string> words)
    : model_(model),
      pieces_(MakePieces(model, words)),
      short_words_(kShortLines),
      long_words_(kLongLines) {}

void WordTable::Tokenize(std::span<const std::string_view> words, std::size_t ids_max,
                         Scratch& scratch, std::vector<int32_t>& ids) {
  Call call{scratch};
  const std::size_t count_max = ids_max - std::min(ids_max, ids.size());
  for (std::size_t begin = 0; begin < words.size() && call.count < count_max;
       begin += PieceTable::kGroup) {
    if (scratch.ids.size() - call.count < kRoom) scratch.ids.resize(2 * call.count + kRoom);
    const auto group = words.subspan(begin, std::min(PieceTable::kGroup, words.size() - begin));
    TokenizeGroup(group, call);
    call.counts.words += group.size();
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
  PieceTable::Found found;
  pieces_.Find(words, found);
  for (uint32_t missing = found.missing; missing != 0; missing &= missing - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(missing));
    if (words[i].size() <= ShortWordCache::kWordBytesMax) short_words_.Prefetch(found.hashes[i]);
  }
  // Ids are copied a group at a time, whatever their number, as there is room.
  std::size_t done = 0;
  const auto copy_to = [&](std::size_t end) {
    std::copy_n(&found.ids[done], PieceTable::kGroup, &call.scratch.ids[call.count]);
    call.count += end - done;
  };
  for (uint32_t missing = found.missing; missing != 0; missing &= missing - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(missing));
    copy_to(i);
    TokenizeMissing(words[i], found.hashes[i], found.keys[i], call);
    done = i + 1;
  }
  copy_to(words.size());
}

/// Notes `count` ids of a remembered word, which have been written.
void WordTable::Take(std::size_t count, Call& call) {
  call.count += count;
  ++call.counts.remembered;
}

void WordTable::TokenizeMissing(std::string_view word, uint64_t hash,
                                const ShortWordCache::Key& key, Call& call) {
  int32_t* const next = &call.scratch.ids[call.count];
  if (word.size() <= ShortWordCache::kWordBytesMax) {
    if (const std::size_t count = short_words_.Find(hash, key, next)) return Take(count, call);
    Split(word, call);
    short_words_.Insert(hash, key, call.scratch.word_ids);
  } else if (word.size() <= LongWordCache::kWordBytesMax) {
    const LongWordCache::Key long_key = LongKeyOf(word);
    const uint64_t long_hash = HashOf(long_key, word.size());
    if (const std::size_t count = long_words_.Find(long_hash, long_key, next)) {
      return Take(count, call);
    }
    Split(word, call);
    long_words_.Insert(long_hash, long_key, call.scratch.word_ids);
  } else {
    Split(word, call);
  }
}

void WordTable::Split(std::string_view word, Call& call) {
  std::vector<int32_t>& ids = call.scratch.ids;
  std::vector<int32_t>& word_ids = call.scratch.word_ids;
  word_ids.clear();
  model_.TokenizeWord(word, call.scratch.model, word_ids);
  ++call.counts.split;
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
  return pieces_.memory_bytes() + short_words_.memory_bytes() + long_words_.memory_bytes();
}

}  // namespace text
