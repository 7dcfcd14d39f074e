// See kernels_avx512.cc.
#pragma GCC diagnostic ignored "-Wuninitialized"

#include "rose/cpu/amx_attention.h"
#include "rose/cpu/amx_registers.h"
#include "rose/cpu/kernels.h"
#include "rose/cpu/pair_gemm_body.h"
#include "rose/cpu/vec_avx512_bf16.h"

namespace rose::cpu {
namespace {

/// Four sums of 16 × 16 in tile registers 0 … 3; the others hold rows of A and columns of B.
class AmxTile {
 public:
  static constexpr int64_t kRows = 2 * AmxRegisters::kRows;
  static constexpr int64_t kDepth = AmxRegisters::kDepth;
  /// Half the second level of every processor with AMX.
  static constexpr int64_t kBlockBytes = int64_t{1} << 20;

  explicit AmxTile(const GemmArgs<BFloat16>& args)
      : args_(args), fits_(FewRows(args)), registers_(fits_ ? args.rows : AmxRegisters::kRows) {}

  static int64_t NextRows(int64_t left) { return left < kRows ? left : kRows; }

  /// A tile of 16 rows has two sums, which would wait for each other's instructions.
  static int64_t Panels(int64_t rows) { return rows <= AmxRegisters::kRows ? 2 : 1; }

  template <typename Meanwhile>
  void Run(int64_t row, int64_t rows, const BFloat16* panel, int64_t panels, float* sums,
           const Meanwhile& meanwhile) {
    const BFloat16* a = args_.a + row * args_.a_stride;
    int64_t stride = args_.a_stride;
    // Whole tiles only are read, and nothing behind a row's end: it may be NaN.
    if (!fits_ && (rows != kRows || args_.k % kDepth != 0)) {
      stride = (args_.k + kDepth - 1) / kDepth * kDepth;
      if (padded_row_ != row) Pad(a, rows, stride);
      padded_row_ = row;
      a = args_.workspace;
    }
    ZeroAmxSums();
    if (rows > AmxRegisters::kRows) {
      AddAmxSquare({.a = a,
                    .a_stride = stride,
                    .a_below = AmxRegisters::kRows * stride,
                    .b = panel,
                    .k = args_.k},
                   meanwhile);
    } else {
      AddPanels(a, stride, panel, panels, meanwhile);
    }
    StoreAmxSums(sums, sums + AmxRegisters::kRows * kPairCols);
  }

  bool RunToOut(int64_t, int64_t, const BFloat16*, int64_t) const { return false; }

 private:
  /// Whether the only tile can take as many rows as there are: nothing to pad, less to do.
  static bool FewRows(const GemmArgs<BFloat16>& args) {
    return 0 < args.rows && args.rows <= AmxRegisters::kRows && args.k % kDepth == 0;
  }

  void Pad(const BFloat16* a, int64_t rows, int64_t stride) const {
    for (int64_t r = 0; r < kRows; ++r) {
      BFloat16* to = args_.workspace + r * stride;
      const int64_t count = r < rows ? args_.k : 0;
      for (int64_t k = 0; k < count; ++k) to[k] = a[r * args_.a_stride + k];
      for (int64_t k = count; k < stride; ++k) to[k] = {};
    }
  }

  /// 16 rows of one or two panels.
  template <typename Meanwhile>
  void AddPanels(const BFloat16* a, int64_t stride, const BFloat16* panel, int64_t panels,
                 const Meanwhile& meanwhile) const {
    const auto a_bytes = static_cast<int64_t>(stride * sizeof(BFloat16));
    // Of one panel both halves are the same: the second is not looked at.
    const BFloat16* other = panel + (panels - 1) * args_.panel_stride;
    FinishStores();
    for (int64_t k = 0; k < args_.k; k += kDepth) {
      _tile_loadd(4, a + k, a_bytes);
      _tile_loadd(5, panel + k * kPairCols, kAmxPanelBytes);
      _tile_dpbf16ps(0, 4, 5);
      _tile_loadd(6, panel + k * kPairCols + kPairCols, kAmxPanelBytes);
      _tile_dpbf16ps(1, 4, 6);
      _tile_loadd(7, other + k * kPairCols, kAmxPanelBytes);
      _tile_dpbf16ps(2, 4, 7);
      _tile_loadd(5, other + k * kPairCols + kPairCols, kAmxPanelBytes);
      _tile_dpbf16ps(3, 4, 5);
      meanwhile();
    }
  }

  const GemmArgs<BFloat16>& args_;
  bool fits_;
  AmxRegisters registers_;
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
    kernels.bf16.attention = AttendTiles;
    return kernels;
  }();
  return kKernels;
}

}  // namespace rose::cpu
