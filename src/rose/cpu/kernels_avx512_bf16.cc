// See kernels_avx512.cc.
#pragma GCC diagnostic ignored "-Wuninitialized"

#include "rose/cpu/kernels_body.h"
#include "rose/cpu/pair_attention.h"
#include "rose/cpu/pair_gemm_body.h"
#include "rose/cpu/pair_tile.h"
#include "rose/cpu/vec_avx512_bf16.h"

namespace rose::cpu {
namespace {

class DotTile {
 public:
  static constexpr int64_t kRows = kPairTileRows;
  static constexpr int64_t kDepth = 2;
  static constexpr int64_t kBlockBytes = int64_t{384} << 10;

  explicit DotTile(const GemmArgs<BFloat16>& args) : args_(args) {}

  static int64_t NextRows(int64_t left) { return NextTileRows<Avx512Bf16>(left); }
  static int64_t Panels(int64_t) { return 1; }

  /// Its instructions leave no time for others.
  template <typename Meanwhile>
  void Run(int64_t row, int64_t rows, const BFloat16* panel, int64_t, float* sums,
           const Meanwhile&) const {
    PairTileOfRows(rows, TileAt(row, panel), [&](int r, __m512 low, __m512 high) {
      _mm512_store_ps(sums + r * kPairCols, low);
      _mm512_store_ps(sums + r * kPairCols + 16, high);
    });
  }

  /// What most tiles are, whole and without an activation: to out, from the registers.
  bool RunToOut(int64_t row, int64_t rows, const BFloat16* panel, int64_t column) const {
    if (args_.activation != nullptr || args_.cols - column < kPairCols) return false;
    const __m512 bias0 = _mm512_loadu_ps(args_.bias + column);
    const __m512 bias1 = _mm512_loadu_ps(args_.bias + column + 16);
    BFloat16* out = args_.out + row * args_.out_stride + column;
    const int64_t stride = args_.out_stride;
    PairTileOfRows(rows, TileAt(row, panel), [&](int r, __m512 low, __m512 high) {
      const auto both = _mm512_cvtne2ps_pbh(_mm512_add_ps(high, bias1), _mm512_add_ps(low, bias0));
      _mm512_storeu_si512(out + r * stride, reinterpret_cast<__m512i>(both));
    });
    return true;
  }

 private:
  PairTileArgs TileAt(int64_t row, const BFloat16* panel) const {
    return {
        .a = args_.a + row * args_.a_stride, .a_stride = args_.a_stride, .b = panel, .k = args_.k};
  }

  const GemmArgs<BFloat16>& args_;
};

}  // namespace

const Kernels& Avx512Bf16Kernels() {
  static constexpr Kernels kKernels = [] {
    Kernels kernels = MakeKernels<Avx512Bf16>(Isa::kAvx512Bf16);
    kernels.gemm_bf16 = {.panel_cols = kPairCols,
                         .panel_terms = 2,
                         .panel_depth = DotTile::kDepth,
                         .tile_rows = DotTile::kRows,
                         .run = PairGemm<Avx512Bf16, DotTile>};
    kernels.bf16.attention = AttendPairs;
    return kernels;
  }();
  return kKernels;
}

}  // namespace rose::cpu
