#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/json_view.h"

namespace text {

/// The pieces of a vocabulary as the file writes them, by id and by name. Immutable once read.
class Vocabulary {
 public:
  /// The object `vocab` of WordPiece and BPE: piece → id. Two pieces with one id are an error.
  static absl::StatusOr<Vocabulary> FromObject(const common::JsonView& json);

  /// Pieces in the order of their ids; an id that no piece has is an empty string in the middle.
  /// If the one of `id` was there before, `repeated(id)` is the error.
  static absl::StatusOr<Vocabulary> FromPieces(
      const std::vector<std::string>& pieces,
      absl::FunctionRef<absl::Status(std::size_t id)> repeated);
  /// The same for pieces that are known to be distinct.
  explicit Vocabulary(const std::vector<std::string>& pieces);
  Vocabulary() = default;

  std::optional<int32_t> IdOf(std::string_view piece) const;
  /// Empty if no piece has that id.
  std::string_view PieceOf(int32_t id) const;
  /// Pieces.
  std::size_t size() const { return size_; }
  /// Largest id, plus one.
  int32_t ids_end() const { return static_cast<int32_t>(begins_.size()) - 1; }
  std::size_t memory_bytes() const;

 private:
  /// The id of the first piece that was there before; nothing if all are distinct.
  std::optional<std::size_t> Add(const std::vector<std::string>& pieces);

  std::string bytes_;                 // All pieces in the order of their ids.
  std::vector<uint32_t> begins_{0};   // Where each begins, and where the last one ends.
  std::vector<int32_t> ids_by_hash_;  // Open addressing; -1: free. Its size is a power of two.
  std::size_t size_ = 0;
};

}  // namespace text
