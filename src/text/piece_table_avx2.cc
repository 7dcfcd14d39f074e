#include "text/piece_table_avx2.h"

#include <immintrin.h>

#include <utility>

#include "text/piece_table_find.h"

namespace text {
namespace {

class Bytes32Avx2 {
 public:
  Bytes32Avx2() = default;
  explicit Bytes32Avx2(const void* from) : bytes_(Load(from)) {}

  Bytes32Avx2 Or(const void* other) const {
    Bytes32Avx2 result;
    result.bytes_ = _mm256_or_si256(bytes_, Load(other));
    return result;
  }

  void Store(void* to) const { _mm256_storeu_si256(static_cast<__m256i*>(to), bytes_); }

  bool Begins(const void* other) const {
    const int same = _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes_, Load(other)));
    return (same | static_cast<int>(0xF0000000)) == -1;
  }

  std::pair<uint64_t, uint64_t> Halves() const {
    const __m128i low = _mm256_castsi256_si128(bytes_);
    const __m128i high = _mm256_extracti128_si256(bytes_, 1);
    const __m128i mixed = _mm_xor_si128(low, _mm_shuffle_epi32(high, 0b10'01'00'11));
    return {static_cast<uint64_t>(_mm_cvtsi128_si64(mixed)),
            static_cast<uint64_t>(_mm_extract_epi64(mixed, 1))};
  }

 private:
  static __m256i Load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }

  __m256i bytes_;
};

}  // namespace

void PieceTableFindAvx2(const PieceTable& table, std::span<const std::string_view> words,
                        PieceTable::Found& found) {
  PieceTableFind<Bytes32Avx2>::Run(table, words, found);
}

}  // namespace text
