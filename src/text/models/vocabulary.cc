#include "text/models/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

#include "common/check.h"

namespace text {
namespace {

constexpr int32_t kLastId = std::numeric_limits<int32_t>::max() - 1;
// A file that names an id far above its number of pieces would only cost memory.
constexpr std::size_t kIdsPerPiece = 16, kIdsFree = std::size_t{1} << 20;

std::size_t Hash(std::string_view piece) { return std::hash<std::string_view>()(piece); }

}  // namespace

absl::StatusOr<Vocabulary> Vocabulary::FromObject(const common::JsonView& json) {
  std::vector<std::string> pieces;
  std::size_t count = 0;
  RETURN_IF_ERROR(json.ForEachMember([&](const std::string&, const common::JsonView&) {
    ++count;
    return absl::OkStatus();
  }));
  const auto read = [&](const std::string& piece, const common::JsonView& value) -> absl::Status {
    ASSIGN_OR_RETURN(const int32_t id, value.AsInteger(kLastId));
    const auto at = static_cast<std::size_t>(id);
    if (at >= count * kIdsPerPiece + kIdsFree) {
      return value.Error(fmt::format("id {} is too large for {} pieces", id, count));
    }
    if (at >= pieces.size()) pieces.resize(at + 1);
    if (!pieces[at].empty()) {
      return value.Error(fmt::format("id {} is that of \"{}\" too", id, pieces[at]));
    }
    pieces[at] = piece;
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(json.ForEachMember(read));
  return Vocabulary(pieces);
}

Vocabulary::Vocabulary(const std::vector<std::string>& pieces) {
  begins_.reserve(pieces.size() + 1);
  for (const std::string& piece : pieces) {
    bytes_ += piece;
    begins_.push_back(static_cast<uint32_t>(bytes_.size()));
    size_ += !piece.empty();
  }
  ids_by_hash_.assign(std::bit_ceil(size_ * 2 + 1), -1);
  const std::size_t mask = ids_by_hash_.size() - 1;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (pieces[id].empty()) continue;
    std::size_t slot = Hash(pieces[id]) & mask;
    for (; ids_by_hash_[slot] >= 0; slot = (slot + 1) & mask) {
      CHECK(PieceOf(ids_by_hash_[slot]) != pieces[id]) << pieces[id];
    }
    ids_by_hash_[slot] = static_cast<int32_t>(id);
  }
}

std::optional<int32_t> Vocabulary::IdOf(std::string_view piece) const {
  if (ids_by_hash_.empty() || piece.empty()) return std::nullopt;
  const std::size_t mask = ids_by_hash_.size() - 1;
  for (std::size_t slot = Hash(piece) & mask; ids_by_hash_[slot] >= 0; slot = (slot + 1) & mask) {
    if (PieceOf(ids_by_hash_[slot]) == piece) return ids_by_hash_[slot];
  }
  return std::nullopt;
}

std::string_view Vocabulary::PieceOf(int32_t id) const {
  if (id < 0 || id >= ids_end()) return {};
  const auto at = static_cast<std::size_t>(id);
  return std::string_view(bytes_).substr(begins_[at], begins_[at + 1] - begins_[at]);
}

std::size_t Vocabulary::memory_bytes() const {
  return bytes_.capacity() + begins_.capacity() * sizeof(uint32_t) +
         ids_by_hash_.capacity() * sizeof(int32_t);
}

}  // namespace text
