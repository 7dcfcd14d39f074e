// See kernels_avx512.cc.
#pragma GCC diagnostic ignored "-Wuninitialized"

#include "rose/cpu/kernels.h"
#include "rose/cpu/pair_gemm_body.h"
#include "rose/cpu/vec_avx512_bf16.h"

namespace rose::cpu {
namespace {

/// Four sums of 16 × 16 in tile registers 0 … 3; the others hold rows of A and columns of B.
class AmxTile {
 public:
  static constexpr int64_t kRows = 32;
  static constexpr int64_t kDepth = 32;  ///< Terms of one instruction.
  /// Half the second level of every processor with AMX.
  static constexpr int64_t kBlockBytes = int64_t{1} << 20;

  explicit AmxTile(const GemmArgs<BFloat16>& args)
      : args_(args), few_rows_(0 < args.rows && args.rows <= kRows / 2 && args.k % kDepth == 0) {
    alignas(64) Config config{};
    // What is the only tile takes as many rows as there are: nothing to pad, less to do.
    for (int tile = 0; few_rows_ && tile <= 4; ++tile) {
      config.rows[tile] = static_cast<uint8_t>(args.rows);
    }
    _tile_loadconfig(&config);
  }
  ~AmxTile() { _tile_release(); }

  static int64_t NextRows(int64_t left) { return left < kRows ? left : kRows; }

  /// A tile of 16 rows has two sums, which would wait for each other's instructions.
  static int64_t Panels(int64_t rows) { return rows <= kRows / 2 ? 2 : 1; }

  template <typename Meanwhile>
  void Run(int64_t row, int64_t rows, const BFloat16* panel, int64_t panels, float* sums,
           const Meanwhile& meanwhile) {
    const BFloat16* a = args_.a + row * args_.a_stride;
    int64_t stride = args_.a_stride;
    // Whole tiles only are read, and nothing behind a row's end: it may be NaN.
    if (!few_rows_ && (rows != kRows || args_.k % kDepth != 0)) {
      stride = (args_.k + kDepth - 1) / kDepth * kDepth;
      if (padded_row_ != row) Pad(a, rows, stride);
      padded_row_ = row;
      a = args_.workspace;
    }
    if (rows > kRows / 2) {
      SumRows(a, stride, panel, sums, meanwhile);
    } else {
      SumPanels(a, stride, panel, panels, sums, meanwhile);
    }
  }

  bool RunToOut(int64_t, int64_t, const BFloat16*, int64_t) const { return false; }

 private:
  /// Of eight tiles of 16 rows of 64 bytes.
  struct Config {
    uint8_t palette = 1;
    uint8_t start_row = 0;
    uint8_t reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };

  void Pad(const BFloat16* a, int64_t rows, int64_t stride) const {
    for (int64_t r = 0; r < kRows; ++r) {
      BFloat16* to = args_.workspace + r * stride;
      const int64_t count = r < rows ? args_.k : 0;
      for (int64_t k = 0; k < count; ++k) to[k] = a[r * args_.a_stride + k];
      for (int64_t k = count; k < stride; ++k) to[k] = {};
    }
  }

  /// 32 rows of one panel.
  template <typename Meanwhile>
  void SumRows(const BFloat16* a, int64_t stride, const BFloat16* panel, float* sums,
               const Meanwhile& meanwhile) const {
    const auto a_bytes = static_cast<int64_t>(stride * sizeof(BFloat16));
    Zero();
    for (int64_t k = 0; k < args_.k; k += kDepth, panel += kDepth * kPairCols) {
      _tile_loadd(6, panel, kPanelBytes);
      _tile_loadd(4, a + k, a_bytes);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(7, panel + kPairCols, kPanelBytes);
      _tile_dpbf16ps(1, 4, 7);
      _tile_loadd(5, a + 16 * stride + k, a_bytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
      meanwhile();
    }
    Store(sums);
  }

  /// 16 rows of one or two panels.
  template <typename Meanwhile>
  void SumPanels(const BFloat16* a, int64_t stride, const BFloat16* panel, int64_t panels,
                 float* sums, const Meanwhile& meanwhile) const {
    const auto a_bytes = static_cast<int64_t>(stride * sizeof(BFloat16));
    // Of one panel both halves are the same: the second is not looked at.
    const BFloat16* other = panel + (panels - 1) * args_.panel_stride;
    Zero();
    for (int64_t k = 0; k < args_.k; k += kDepth) {
      _tile_loadd(4, a + k, a_bytes);
      _tile_loadd(5, panel + k * kPairCols, kPanelBytes);
      _tile_dpbf16ps(0, 4, 5);
      _tile_loadd(6, panel + k * kPairCols + kPairCols, kPanelBytes);
      _tile_dpbf16ps(1, 4, 6);
      _tile_loadd(7, other + k * kPairCols, kPanelBytes);
      _tile_dpbf16ps(2, 4, 7);
      _tile_loadd(5, other + k * kPairCols + kPairCols, kPanelBytes);
      _tile_dpbf16ps(3, 4, 5);
      meanwhile();
    }
    Store(sums);
  }

  static void Zero() {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }

  static void Store(float* sums) {
    constexpr int kSumBytes = kPairCols * sizeof(float);
    _tile_stored(0, sums, kSumBytes);
    _tile_stored(1, sums + 16, kSumBytes);
    _tile_stored(2, sums + 16 * kPairCols, kSumBytes);
    _tile_stored(3, sums + 16 * kPairCols + 16, kSumBytes);
  }

  static constexpr int kPanelBytes = 2 * kPairCols * sizeof(BFloat16);

  const GemmArgs<BFloat16>& args_;
  bool few_rows_;            ///< The configuration is of args_.rows.
  int64_t padded_row_ = -1;  ///< The first of those in the workspace.
};

}  // namespace

const Kernels& AmxKernels() {
  static const Kernels kKernels = [] {
    Kernels kernels = Avx512Bf16Kernels();
    kernels.isa = Isa::kAmx;
    kernels.gemm_bf16 = {.panel_cols = kPairCols,
                         .panel_terms = 2,
                         .panel_depth = AmxTile::kDepth,
                         .tile_rows = AmxTile::kRows,
                         .padded_rows = AmxTile::kRows,
                         .run = PairGemm<Avx512Bf16, AmxTile>};
    return kernels;
  }();
  return kKernels;
}

}  // namespace rose::cpu
