#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/models/vocabulary.h"

namespace text {

struct ModelScratch;

/// The third step: a word → ids of the vocabulary's pieces. Immutable. What it is asked for twice
/// is remembered above it (word_table.h), so that it need not be.
class Model {
 public:
  virtual ~Model() = default;

  /// Appends the ids of `word` (not empty, as the pre-tokenizer left it, not always UTF-8). Time
  /// linear in the word, or linear times its logarithm; allocates nothing once `scratch` has grown.
  virtual void TokenizeWord(std::string_view word, ModelScratch& scratch,
                            std::vector<int32_t>& ids) const = 0;

  /// A token and the bytes [begin, end) of the word that it stands for.
  struct Token {
    int32_t id = 0;
    uint32_t begin = 0, end = 0;
  };
  /// The same ids with their places. May be slow.
  virtual void TokenizeWord(std::string_view word, ModelScratch& scratch,
                            std::vector<Token>& tokens) const = 0;

  /// As tokenizer.json names it: "Unigram".
  virtual std::string_view type() const = 0;
  /// Whether a word may be split before each run of `mark` that follows something else, its parts
  /// tokenized apart: no token holds both.
  virtual bool KeepsApart(std::string_view mark) const {
    static_cast<void>(mark);
    return false;
  }

  /// The pieces as the file writes them.
  virtual const Vocabulary& vocabulary() const = 0;
  /// What the model holds on the heap.
  virtual std::size_t memory_bytes() const = 0;
};

}  // namespace text
