#include "rose/cpu/kernels.h"

namespace rose::cpu {

const Kernels& KernelsFor(Isa isa) { return isa >= Isa::kAvx512 ? Avx512Kernels() : Avx2Kernels(); }

}  // namespace rose::cpu
