#pragma once

#include "rose/cpu/vec_avx512.h"

namespace rose::cpu {

/// With the processor's own instruction, which takes denormals for 0.
struct RoundNatively {
  static __m256i Narrow(__m512 v) { return reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(v)); }
};

using Avx512Bf16 = Avx512Of<RoundNatively>;

}  // namespace rose::cpu
