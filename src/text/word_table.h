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
#include "text/piece_table.h"
#include "text/tokenizer.h"
#include "text/word_cache.h"

namespace text {

/// Words → ids, asking the model only for those that are neither a piece of the vocabulary nor
/// remembered.
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
  // Ids that are sure to have room before a group is begun.
  static constexpr std::size_t kRoom = PieceTable::kGroup * LongWordCache::kIdsMax;

  struct Call {
    Scratch& scratch;
    std::size_t count = 0;  // Of scratch.ids that are filled.
    WordCounts counts = {};
  };

  void TokenizeGroup(std::span<const std::string_view> words, Call& call);
  void TokenizeMissing(std::string_view word, uint64_t hash, const ShortWordCache::Key& key,
                       Call& call);
  static void Take(std::size_t count, Call& call);
  void Split(std::string_view word, Call& call);

  // Counters on lines of their own, so that threads do not wait for each other.
  struct alignas(64) Counters {
    std::atomic<uint64_t> words{0}, remembered{0}, split{0};
  };
  static constexpr std::size_t kCounters = 16;

  const Model& model_;
  PieceTable pieces_;
  ShortWordCache short_words_;
  LongWordCache long_words_;
  std::array<Counters, kCounters> counters_;
};

}  // namespace text
