#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace text {

/// The third step: words → ids of the vocabulary's pieces. Immutable.
class Model {
 public:
  virtual ~Model() = default;

  /// Appends the ids of each word in turn. Stops after the word that brings `ids` to `ids_max`
  /// elements or more.
  virtual void Tokenize(std::span<const std::string_view> words, std::size_t ids_max,
                        std::vector<int32_t>& ids) const = 0;

  /// The id of a whole piece of the vocabulary.
  virtual std::optional<int32_t> IdOf(std::string_view piece) const = 0;
  /// Pieces in the vocabulary.
  virtual std::size_t size() const = 0;
  /// Largest id, plus one.
  virtual int32_t ids_end() const = 0;
};

}  // namespace text
