#include "text/word_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace text {
namespace {

// 2 MiB: some 30,000 words, more than ordinary text of one language has beyond the pieces.
constexpr std::size_t kShortLines = std::size_t{1} << 15;
// 4 MiB for what has no blanks (Thai, Chinese, addresses) or many ids.
constexpr std::size_t kLongLines = std::size_t{1} << 14;

/// Of all bytes of a word that is too long for PieceTable.
uint64_t HashOf(std::string_view word) {
  uint64_t hash = word.size();
  for (std::size_t at = 0; at < word.size(); at += sizeof(uint64_t)) {
    uint64_t part = 0;
    std::memcpy(&part, word.data() + at, std::min(sizeof(part), word.size() - at));
    hash = (std::rotl(hash, 29) ^ part) * 0xA4093822299F31D1;
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
  Call call{scratch, 0, {.words = words.size()}};
  const std::size_t count_max = ids_max - std::min(ids_max, ids.size());
  for (std::size_t begin = 0; begin < words.size() && call.count < count_max;
       begin += PieceTable::kGroup) {
    if (scratch.ids.size() - call.count < kRoom) scratch.ids.resize(2 * call.count + kRoom);
    TokenizeGroup(words.subspan(begin, std::min(PieceTable::kGroup, words.size() - begin)), call);
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
    if (words[i].size() <= PieceTable::kReadBytes) short_words_.Prefetch(found.hashes[i]);
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
    TokenizeMissing(words[i], found.hashes[i], call);
    done = i + 1;
  }
  copy_to(words.size());
}

void WordTable::TokenizeMissing(std::string_view word, uint64_t hash, Call& call) {
  std::vector<int32_t>& ids = call.scratch.ids;
  const bool is_short = word.size() <= PieceTable::kReadBytes;
  const bool is_kept = word.size() <= LongWords::kWordBytesMax;
  if (!is_short && is_kept) hash = HashOf(word);
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
  return pieces_.memory_bytes() + short_words_.memory_bytes() + long_words_.memory_bytes();
}

}  // namespace text
