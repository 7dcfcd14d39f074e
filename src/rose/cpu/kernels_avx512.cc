// g++ 12 takes the deliberately undefined operands inside its own AVX-512 intrinsics for mistakes
// of ours (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"

#include "rose/cpu/kernels_body.h"
#include "rose/cpu/vec_avx512.h"

namespace rose::cpu {

const Kernels& Avx512Kernels() {
  static constexpr Kernels kKernels = MakeKernels<Avx512>(Isa::kAvx512);
  return kKernels;
}

}  // namespace rose::cpu
