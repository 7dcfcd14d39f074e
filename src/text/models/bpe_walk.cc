#include "text/models/bpe_walk.h"

#include <algorithm>
#include <numeric>

#include "common/check.h"

namespace text {

class BpeWalkBuilder {
 public:
  explicit BpeWalkBuilder(const BpeWalk::Source& source)
      : source_(source),
        characters_(static_cast<uint32_t>(source.characters.size())),
        walk_(std::min(source.merges.size(), source.bytes.size())),
        piece_of_(source.bytes.size(), kNone) {
    walk_.pieces_.resize(source.characters.size() + source.merges.size());
    walk_.ids_.resize(walk_.pieces_.size());
  }

  std::optional<BpeWalk> Build() {
    for (uint32_t piece = 0; piece < characters_; ++piece) Add(piece, source_.characters[piece]);
    for (const uint32_t rank : ByLength()) {
      if (!AddMerge(rank)) return std::nullopt;
    }
    AddTrie();
    walk_.ids_are_numbers_ = true;
    for (std::size_t id = 0; id < piece_of_.size(); ++id) {
      if (piece_of_[id] != kNone) walk_.ids_are_numbers_ &= piece_of_[id] == id;
    }
    return std::move(walk_);
  }

 private:
  /// Ranks of the merges in the order of their pieces' lengths, so that all that can happen inside
  /// a piece is known before it; of equal ones the last first, as it is the one that counts.
  std::vector<uint32_t> ByLength() const {
    const auto length = [&](uint32_t rank) {
      return source_.bytes[static_cast<std::size_t>(source_.merges[rank].merged)].size();
    };
    std::size_t longest = 0;
    for (uint32_t rank = 0; rank < source_.merges.size(); ++rank) {
      longest = std::max(longest, length(rank));
    }
    std::vector<uint32_t> ends(longest + 1), ranks(source_.merges.size());
    for (uint32_t rank = 0; rank < ranks.size(); ++rank) ++ends[length(rank)];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (uint32_t rank = 0; rank < ranks.size(); ++rank) ranks[--ends[length(rank)]] = rank;
    return ranks;
  }

  /// False if its piece is late and long. A merge that never happens is left out: its parts cannot
  /// be reached, or another merge comes before it wherever they meet. (Of all merges to one piece,
  /// at most one ever happens.)
  bool AddMerge(uint32_t rank) {
    const auto& [left_id, right_id, merged_id] = source_.merges[rank];
    const uint32_t left = piece_of_[static_cast<std::size_t>(left_id)];
    const uint32_t right = piece_of_[static_cast<std::size_t>(right_id)];
    if (left == kNone || right == kNone) return true;
    if (piece_of_[static_cast<std::size_t>(merged_id)] != kNone) return true;
    if (!walk_.CanPrecede(left, right, scratch_)) return true;
    const uint32_t piece = characters_ + rank;
    Add(piece, merged_id);
    BpeWalk::Piece& record = walk_.pieces_[piece];
    record.left = left;
    record.right = right;
    record.time = std::max({piece, walk_.pieces_[left].time, walk_.pieces_[right].time});
    if (record.time != piece && record.size > kLateBytesMax) return false;
    walk_.pairs_.Set(left, right, piece);
    return true;
  }

  void Add(uint32_t piece, int32_t id) {
    walk_.ids_[piece] = id;
    walk_.pieces_[piece].time = piece;
    walk_.pieces_[piece].size = static_cast<uint32_t>(BytesOf(piece).size());
    piece_of_[static_cast<std::size_t>(id)] = piece;
  }

  std::string_view BytesOf(uint32_t piece) const {
    return source_.bytes[static_cast<std::size_t>(walk_.ids_[piece])];
  }

  void AddTrie() {
    std::vector<Trie::Entry> entries;
    for (const uint32_t piece : piece_of_) {
      if (piece != kNone) entries.push_back({BytesOf(piece), static_cast<int32_t>(piece)});
    }
    walk_.trie_ = Trie(std::move(entries));
    for (const uint32_t piece : piece_of_) {
      if (piece == kNone) continue;
      const std::string_view bytes = BytesOf(piece);
      walk_.pieces_[piece].shorter = walk_.Longest(bytes.substr(0, bytes.size() - 1));
    }
  }

  static constexpr uint32_t kNone = BpeWalk::kNone;
  // Two late neighbours may cost the square of this.
  static constexpr std::size_t kLateBytesMax = 256;

  const BpeWalk::Source& source_;
  const uint32_t characters_;
  BpeWalk walk_;
  BpeScratch scratch_;
  std::vector<uint32_t> piece_of_;  // By id; kNone: merging does not reach it.
};

std::optional<BpeWalk> BpeWalk::Create(const Source& source) {
  return BpeWalkBuilder(source).Build();
}

/// Whether merging `left` and `right` side by side leaves both as they are. Goes back in time
/// through the moments at which merging them had come to `left`, the last part so far of the one,
/// beside `right`, the first part of the other. A merge across is done if its time is before those
/// at which the two parts are then used up; of equal ones the leftmost comes first. Only where late
/// pieces share a time is their order not known so, and it is tried out.
bool BpeWalk::CanPrecede(uint32_t left, uint32_t right, BpeScratch& scratch) const {
  const uint32_t left_piece = left, right_piece = right;
  const bool late = pieces_[left].time != left || pieces_[right].time != right;
  uint32_t left_used = kNone, right_used = kNone;
  while (true) {
    if (const uint32_t piece = pairs_.Find(left, right); piece != kNone) {
      const uint32_t time = pieces_[piece].time;
      if (time < left_used && time < right_used) return false;
      if (late && (time == left_used || time == right_used)) break;
      if (time < left_used && time == right_used) return false;
    }
    const Piece& left_part = pieces_[left];
    const Piece& right_part = pieces_[right];
    if (late && left_part.time == right_part.time) break;
    if (left_part.time > right_part.time) {
      left_used = left_part.time;
      left = left_part.right;
      if (left == kNone) return true;
    } else {
      right_used = right_part.time;
      right = right_part.left;
      if (right == kNone) return true;
    }
  }
  return StayApart(left_piece, right_piece, scratch);
}

/// CanPrecede by merging the two from their characters on.
bool BpeWalk::StayApart(uint32_t left, uint32_t right, BpeScratch& scratch) const {
  std::vector<uint32_t>& parts = scratch.parts;
  parts.clear();
  AppendCharacters(left, parts);
  AppendCharacters(right, parts);
  std::vector<uint32_t>& merges = scratch.part_merges;
  merges.clear();
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    merges.push_back(pairs_.Find(parts[i], parts[i + 1]));
  }
  return MergeShort(parts.data(), merges.data(), parts.size(), pairs_) == 2 && parts[0] == left;
}

void BpeWalk::AppendCharacters(uint32_t piece, std::vector<uint32_t>& characters) const {
  while (pieces_[piece].left != kNone) {
    AppendCharacters(pieces_[piece].left, characters);
    piece = pieces_[piece].right;
  }
  characters.push_back(piece);
}

/// The longest piece that begins `text`; kNone: none does.
uint32_t BpeWalk::Longest(std::string_view text) const {
  const Trie::Match match = trie_.LongestPrefix(Trie::kRoot, text);
  return match.size > 0 ? static_cast<uint32_t>(match.value) : kNone;
}

void BpeWalk::Start(std::string_view word, BpeScratch& scratch) const {
  scratch.dead.assign(word.size() / 64 + 1, 0);
  if (scratch.pieces.size() < word.size()) scratch.pieces.resize(word.size());
}

BpeWalk::Encoded BpeWalk::Encode(std::string_view word, std::size_t begin,
                                 BpeScratch& scratch) const {
  uint32_t* const found = scratch.pieces.data();
  uint64_t* const dead = scratch.dead.data();
  const auto fits = [&](uint32_t piece, std::size_t at, std::size_t count) {
    const std::size_t end = at + pieces_[piece].size;
    if ((dead[end / 64] >> end % 64 & 1) != 0) return false;
    return count == 0 || CanPrecede(found[count - 1], piece, scratch);
  };
  std::size_t at = begin, count = 0;
  while (at < word.size()) {
    uint32_t piece = Longest(word.substr(at));
    if (piece == kNone) break;  // What is encoded is a whole: no piece reaches over this character.
    while (!fits(piece, at, count)) {
      piece = pieces_[piece].shorter;
      while (piece == kNone) {
        CHECK(count > 0) << "a text without an encoding";
        dead[at / 64] |= uint64_t{1} << at % 64;
        piece = found[--count];
        at -= pieces_[piece].size;
        piece = pieces_[piece].shorter;
      }
    }
    found[count++] = piece;
    at += pieces_[piece].size;
  }
  return {at, count};
}

}  // namespace text
