#pragma once

#include <immintrin.h>

#include <cstdint>

#include "rose/core/bfloat16.h"

namespace rose::cpu {

/// For the compiler: what was stored so far may be read from here on. GCC's tile instructions do
/// not say which memory they read (amxtileintrin.h), so that stores might be moved behind them.
inline void FinishStores() { asm volatile("" ::: "memory"); }

/// The eight tile registers of this thread: 16 rows of 64 bytes each, while this lives.
class AmxRegisters {
 public:
  static constexpr int64_t kRows = 16;   ///< Of a register, at most; also its columns of sums.
  static constexpr int64_t kDepth = 32;  ///< Terms of one instruction.

  /// `rows` of the sums and of what is multiplied from the left (registers 0 … 4). With fewer than
  /// 16 register 5 is for the right side alone, so that AddAmxSquare may not follow.
  explicit AmxRegisters(int64_t rows = kRows) {
    alignas(64) Config config{};
    for (int tile = 0; tile <= 4; ++tile) config.rows[tile] = static_cast<uint8_t>(rows);
    FinishStores();
    _tile_loadconfig(&config);
  }
  AmxRegisters(const AmxRegisters&) = delete;
  AmxRegisters& operator=(const AmxRegisters&) = delete;
  ~AmxRegisters() { _tile_release(); }

 private:
  struct Config {
    uint8_t palette = 1;
    uint8_t start_row = 0;
    uint8_t reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };
};

/// Two times 16 rows a[… × k] times a panel b[k × 32], in registers 0 … 3.
struct AmxSquareArgs {
  const BFloat16* a = nullptr;
  int64_t a_stride = 0;                   ///< Elements from a row to the next.
  int64_t a_step = AmxRegisters::kDepth;  ///< From 32 terms to the next 32.
  int64_t a_below = 0;                    ///< From the first row to that of the second 16.
  const BFloat16* b = nullptr;            ///< As PairTileArgs has it; 32 terms a step.
  int64_t k = 0;                          ///< A multiple of 32, or filled up to one.
};

/// Bytes from a row of a panel of pairs to the next, and of a row of sums.
inline constexpr int kAmxPanelBytes = 128;

inline void ZeroAmxSums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

/// sums[16 × 32] from register 0 on, and those of the second 16 rows at `below`.
inline void LoadAmxSums(const float* sums, const float* below) {
  FinishStores();
  _tile_loadd(0, sums, kAmxPanelBytes);
  _tile_loadd(1, sums + AmxRegisters::kRows, kAmxPanelBytes);
  _tile_loadd(2, below, kAmxPanelBytes);
  _tile_loadd(3, below + AmxRegisters::kRows, kAmxPanelBytes);
}

inline void StoreAmxSums(float* sums, float* below) {
  _tile_stored(0, sums, kAmxPanelBytes);
  _tile_stored(1, sums + AmxRegisters::kRows, kAmxPanelBytes);
  _tile_stored(2, below, kAmxPanelBytes);
  _tile_stored(3, below + AmxRegisters::kRows, kAmxPanelBytes);
}

/// Adds to the sums. Calls meanwhile() with each step: four products take 64 cycles and eight
/// instructions.
template <typename Meanwhile>
inline void AddAmxSquare(const AmxSquareArgs& args, const Meanwhile& meanwhile) {
  constexpr int64_t kPanelStep = AmxRegisters::kDepth * 2 * AmxRegisters::kRows;
  const auto a_bytes = static_cast<int64_t>(args.a_stride * sizeof(BFloat16));
  const BFloat16* a = args.a;
  const BFloat16* b = args.b;
  FinishStores();
  for (int64_t k = 0; k < args.k; k += AmxRegisters::kDepth, a += args.a_step, b += kPanelStep) {
    _tile_loadd(6, b, kAmxPanelBytes);
    _tile_loadd(4, a, a_bytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b + AmxRegisters::kDepth, kAmxPanelBytes);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, a + args.a_below, a_bytes);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    meanwhile();
  }
}

}  // namespace rose::cpu
