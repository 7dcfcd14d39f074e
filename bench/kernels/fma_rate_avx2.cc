#include "bench/kernels/fma_rate.h"
#include "bench/kernels/fma_rate_body.h"
#include "rose/cpu/vec_avx2.h"

namespace bench {

double Avx2FmaRate() { return FmaRate<rose::cpu::Avx2>(); }

}  // namespace bench
