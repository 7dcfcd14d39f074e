// See kernels_avx512.cc.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"

#include "rose/cpu/kernels_body.h"
#include "rose/cpu/pair_gemm_body.h"
#include "rose/cpu/vec_avx512_bf16.h"

namespace rose::cpu {
namespace {

/// 12 × 2 sums in the 32 registers.
class DotTile {
 public:
  static constexpr int64_t kRows = Avx512Bf16::kTileRows;

  explicit DotTile(const GemmArgs<BFloat16>& args) : args_(args) {}

  static int64_t NextRows(int64_t left) { return NextTileRows<Avx512Bf16>(left); }

  static int64_t Panels(int64_t) { return 1; }

  void Run(int64_t row, int64_t rows, const BFloat16* panel, int64_t, float* sums) const {
    RunRows<kRows>(rows, args_.a + row * args_.a_stride, panel, [&](int r, __m512 s0, __m512 s1) {
      _mm512_store_ps(sums + r * kPairCols, s0);
      _mm512_store_ps(sums + r * kPairCols + 16, s1);
    });
  }

  /// What most tiles are, whole and without an activation: to out, from the registers.
  bool Finish(int64_t row, int64_t rows, const BFloat16* panel, int64_t column) const {
    if (args_.activation != nullptr || args_.cols - column < kPairCols) return false;
    const __m512 bias0 = _mm512_loadu_ps(args_.bias + column);
    const __m512 bias1 = _mm512_loadu_ps(args_.bias + column + 16);
    BFloat16* out = args_.out + row * args_.out_stride + column;
    RunRows<kRows>(rows, args_.a + row * args_.a_stride, panel, [&](int r, __m512 s0, __m512 s1) {
      const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_add_ps(s1, bias1), _mm512_add_ps(s0, bias0));
      _mm512_storeu_si512(out + r * args_.out_stride, reinterpret_cast<__m512i>(both));
    });
    return true;
  }

 private:
  template <int kCount, typename Store>
  void RunRows(int64_t rows, const BFloat16* a, const BFloat16* panel, const Store& store) const {
    if constexpr (kCount > 1) {
      if (rows < kCount) return RunRows<kCount - 1>(rows, a, panel, store);
    }
    Sum<kCount>(a, panel, store);
  }

  static __m512bh Pairs(const BFloat16* panel) {
    return reinterpret_cast<__m512bh>(_mm512_loadu_si512(panel));
  }

  /// Not inlined: its loop wants all registers for itself.
  template <int kCount, typename Store>
  [[gnu::noinline]] void Sum(const BFloat16* a, const BFloat16* panel, const Store& store) const {
    __m512 sum[kCount][2];
#pragma GCC unroll 12
    for (int r = 0; r < kCount; ++r) sum[r][0] = sum[r][1] = _mm512_setzero_ps();
    const auto add = [&](int r, int pair, __m512bh b0, __m512bh b1) {
      const auto x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
      sum[r][0] = _mm512_dpbf16_ps(sum[r][0], x, b0);
      sum[r][1] = _mm512_dpbf16_ps(sum[r][1], x, b1);
    };
    for (int64_t k = 0; k + 2 <= args_.k; k += 2, panel += 2 * kPairCols) {
      const __m512bh b0 = Pairs(panel), b1 = Pairs(panel + kPairCols);
#pragma GCC unroll 12
      for (int r = 0; r < kCount; ++r) {
        int pair;
        __builtin_memcpy(&pair, a + r * args_.a_stride + k, sizeof pair);
        add(r, pair, b0, b1);
      }
    }
    if (args_.k % 2 != 0) {
      const __m512bh b0 = Pairs(panel), b1 = Pairs(panel + kPairCols);
#pragma GCC unroll 12
      for (int r = 0; r < kCount; ++r) add(r, a[r * args_.a_stride + args_.k - 1].bits, b0, b1);
    }
#pragma GCC unroll 12
    for (int r = 0; r < kCount; ++r) store(r, sum[r][0], sum[r][1]);
  }

  const GemmArgs<BFloat16>& args_;
};

}  // namespace

const Kernels& Avx512Bf16Kernels() {
  static constexpr Kernels kKernels = [] {
    Kernels kernels = MakeKernels<Avx512Bf16>(Isa::kAvx512Bf16);
    kernels.gemm_bf16 = {.panel_cols = kPairCols,
                         .panel_terms = 2,
                         .panel_depth = 2,
                         .tile_rows = DotTile::kRows,
                         .run = PairGemm<Avx512Bf16, DotTile>};
    return kernels;
  }();
  return kKernels;
}

}  // namespace rose::cpu
