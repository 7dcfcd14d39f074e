#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/models/model.h"
#include "text/models/model_scratch.h"
#include "text/tokenizer.h"
#include "text/word_cache.h"
#include "text/word_key.h"

namespace text {

/// Words → ids, asking the model only for those that are neither a piece of the vocabulary nor
/// remembered. Most words of ordinary text are one piece: those lie in an open-addressing table of
/// 32-byte entries, made when the tokenizer is loaded by asking the model for every piece.
///
/// Threads: any number may call Tokenize at once, each with its own Scratch.
class WordTable {
 public:
  struct Scratch {
    ModelScratch model;
    std::vector<int32_t> word_ids;  ///< of one word
    std::vector<int32_t> ids;       ///< of all words, and room: its size only grows
  };

  /// `words`: texts that may come as words, for each of which `model` is asked; those that are one
  /// token are kept. Frequent ones first, as those are found with fewer steps. `model` must outlive
  /// the table.
  WordTable(const Model& model, std::span<const std::string> words);

  /// Appends the ids of each word in turn. WorkText::kSlack bytes can be read behind each word.
  /// Stops soon after the word that brings `ids` to `ids_max` elements or more.
  void Tokenize(std::span<const std::string_view> words, std::size_t ids_max, Scratch& scratch,
                std::vector<int32_t>& ids);

  WordCounts counts() const;
  std::size_t memory_bytes() const;

 private:
  // 27 bytes of the word, zero behind its end; its length; its id. Length 0: free.
  struct alignas(32) Entry {
    std::array<char, 27> bytes{};
    uint8_t size = 0;
    int32_t id = 0;
  };
  static constexpr std::size_t kEntryBytesMax = 27;

  // Words whose entries are fetched before the first of them is looked at: enough to hide the way
  // to memory, few enough to stay in the innermost cache.
  static constexpr std::size_t kGroup = 16;
  using ShortWords = WordCache<64>;
  using LongWords = WordCache<256>;
  // Ids that are sure to have room before a group is begun.
  static constexpr std::size_t kRoom = kGroup * (LongWords::kIdsMax + 1);

  struct Call {
    Scratch& scratch;
    std::size_t count = 0;  // Of scratch.ids that are filled.
    WordCounts counts = {};
  };

  std::size_t IndexOf(const WordKey& key) const { return key.hash & mask_; }
  const Entry* Find(const WordKey& key) const;
  void Insert(std::string_view word, int32_t id);
  void TokenizeGroup(std::span<const std::string_view> words, Call& call);
  void TokenizeRare(std::string_view word, const WordKey& key, Call& call);

  // Counters on lines of their own, so that threads do not wait for each other.
  struct alignas(64) Counters {
    std::atomic<uint64_t> words{0}, remembered{0}, split{0};
  };
  static constexpr std::size_t kCounters = 16;

  const Model& model_;
  std::vector<Entry> entries_;
  std::size_t mask_;
  ShortWords short_words_;
  LongWords long_words_;
  std::array<Counters, kCounters> counters_;
};

}  // namespace text
