#include "text/piece_table.h"

#include <emmintrin.h>

#include <bit>
#include <utility>

#include "common/avx2.h"
#include "common/check.h"
#include "text/piece_table_avx2.h"
#include "text/piece_table_find.h"
#include "text/piece_table_sse2.h"

namespace text {
namespace {

class Bytes32 {
 public:
  Bytes32() = default;
  explicit Bytes32(const void* from) : low_(Load(from, 0)), high_(Load(from, 1)) {}

  Bytes32 Or(const void* other) const {
    Bytes32 result;
    result.low_ = _mm_or_si128(low_, Load(other, 0));
    result.high_ = _mm_or_si128(high_, Load(other, 1));
    return result;
  }

  void Store(void* to) const {
    _mm_storeu_si128(static_cast<__m128i*>(to), low_);
    _mm_storeu_si128(static_cast<__m128i*>(to) + 1, high_);
  }

  /// Whether the first 28 bytes are those at `other`.
  bool Begins(const void* other) const {
    const int low = _mm_movemask_epi8(_mm_cmpeq_epi8(low_, Load(other, 0)));
    const int high = _mm_movemask_epi8(_mm_cmpeq_epi8(high_, Load(other, 1)));
    return (low | (high | 0xF000) << 16) == -1;
  }

  std::pair<uint64_t, uint64_t> Halves() const {
    const __m128i mixed = _mm_xor_si128(low_, _mm_shuffle_epi32(high_, 0b10'01'00'11));
    return {static_cast<uint64_t>(_mm_cvtsi128_si64(mixed)),
            static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(mixed, mixed)))};
  }

 private:
  static __m128i Load(const void* from, int i) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from) + i);
  }

  __m128i low_, high_;
};

}  // namespace

void PieceTableFindSse2(const PieceTable& table, std::span<const std::string_view> words,
                        PieceTable::Found& found) {
  PieceTableFind<Bytes32>::Run(table, words, found);
}

PieceTable::PieceTable(std::size_t words)
    : entries_(std::bit_ceil(2 * words + 2)),
      mask_(entries_.size() - 1),
      find_(common::HasAvx2() ? PieceTableFindAvx2 : PieceTableFindSse2) {}

void PieceTable::Insert(std::string_view word, int32_t id) {
  CHECK(!word.empty() && word.size() <= kBytesMax && id >= 0 && id < kOverflows) << word;
  Entry entry;
  std::copy(word.begin(), word.end(), entry.bytes.begin());
  entry.id = id;
  std::array<char, kReadBytes> bytes;
  bytes.fill('\xFF');
  std::copy(word.begin(), word.end(), bytes.begin());
  uint64_t at = LineOf(PieceTableFind<Bytes32>::Hash(Bytes32(bytes.data())), mask_);
  for (; entries_[at + 1].id != kFree; at = (at + 2) & mask_) entries_[at + 1].id |= kOverflows;
  entries_[entries_[at].id == kFree ? at : at + 1] = entry;
}

}  // namespace text
