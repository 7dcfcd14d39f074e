#pragma once

namespace bench {

/// GFLOP/s (a multiplication and an addition are two) of one thread that does nothing but fused
/// multiply-adds on registers: what no product can exceed.
double Avx2FmaRate();
double Avx512FmaRate();

}  // namespace bench
