#include "rose/cpu/kernels_body.h"
#include "rose/cpu/vec_avx2.h"

namespace rose::cpu {

const Kernels& Avx2Kernels() {
  static constexpr Kernels kKernels = MakeKernels<Avx2>(Isa::kAvx2);
  return kKernels;
}

}  // namespace rose::cpu
