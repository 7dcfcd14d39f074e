#include "text/models/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "common/check.h"

namespace text {
namespace {

constexpr int32_t kLastId = std::numeric_limits<int32_t>::max() - 1;
// A file that names an id far above its number of pieces would only cost memory.
constexpr std::size_t kIdsPerPiece = 16, kIdsFree = std::size_t{1} << 20;

std::size_t Hash(std::string_view piece) { return std::hash<std::string_view>()(piece); }

/// What is wrong with the id of `piece`.
absl::Status IdError(const common::JsonView& json, std::string_view piece, std::size_t count) {
  ASSIGN_OR_RETURN(const common::JsonView value, json.Member(piece));
  ASSIGN_OR_RETURN(const int32_t id, value.AsInteger(kLastId));
  return value.Error(fmt::format("id {} is too large for {} pieces", id, count));
}

}  // namespace

absl::StatusOr<Vocabulary> Vocabulary::FromObject(const common::JsonView& json) {
  if (!json.value().is_object()) return json.Expected("an object");
  const auto& members = json.value().get_ref<const nlohmann::json::object_t&>();
  const std::size_t ids_max = members.size() * kIdsPerPiece + kIdsFree;
  std::vector<std::string> pieces;
  pieces.reserve(members.size());
  for (const auto& [piece, value] : members) {
    // A view for each piece would cost more than all the rest.
    const auto at = value.is_number_integer() ? value.get<uint64_t>() : ids_max;
    if (at >= ids_max) return IdError(json, piece, members.size());
    if (at >= pieces.size()) pieces.resize(at + 1);
    if (!pieces[at].empty()) {
      ASSIGN_OR_RETURN(const common::JsonView member, json.Member(piece));
      return member.Error(fmt::format("id {} is that of \"{}\" too", at, pieces[at]));
    }
    pieces[at] = piece;
  }
  return Vocabulary(pieces);
}

absl::StatusOr<Vocabulary> Vocabulary::FromPieces(
    const std::vector<std::string>& pieces,
    absl::FunctionRef<absl::Status(std::size_t id)> repeated) {
  Vocabulary vocabulary;
  if (const auto id = vocabulary.Add(pieces)) return repeated(*id);
  return vocabulary;
}

Vocabulary::Vocabulary(const std::vector<std::string>& pieces) {
  const auto repeated = Add(pieces);
  CHECK(!repeated) << pieces[*repeated];
}

std::optional<std::size_t> Vocabulary::Add(const std::vector<std::string>& pieces) {
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
      if (PieceOf(ids_by_hash_[slot]) == pieces[id]) return id;
    }
    ids_by_hash_[slot] = static_cast<int32_t>(id);
  }
  return std::nullopt;
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
