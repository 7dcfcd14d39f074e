#include "rose/cpu/kernels.h"

namespace rose::cpu {

const Kernels& KernelsFor(Isa isa) {
  switch (isa) {
    case Isa::kAvx2:
      return Avx2Kernels();
    case Isa::kAvx512:
      return Avx512Kernels();
    case Isa::kAvx512Bf16:
      return Avx512Bf16Kernels();
    case Isa::kAmx:
      return AmxKernels();
  }
  return Avx2Kernels();
}

}  // namespace rose::cpu
