// See src/rose/cpu/kernels_avx512.cc.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"

#include "bench/kernels/fma_rate.h"
#include "bench/kernels/fma_rate_body.h"
#include "rose/cpu/vec_avx512.h"

namespace bench {

double Avx512FmaRate() { return FmaRate<rose::cpu::Avx512>(); }

}  // namespace bench
