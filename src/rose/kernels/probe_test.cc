#include "rose/kernels/probe.h"

#include <gtest/gtest.h>

namespace rose::kernels {
namespace {

TEST(Probe, RunsOnTheCurrentDevice) {
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    EXPECT_NE(Probe(nullptr), cudaSuccess);
    GTEST_SKIP() << "no GPU: " << cudaGetErrorString(error);
  }
  EXPECT_EQ(Probe(nullptr), cudaSuccess);
}

}  // namespace
}  // namespace rose::kernels
