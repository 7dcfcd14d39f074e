#include "rose/kernels/probe.h"

#include <gtest/gtest.h>

#include <string>

#include "rose/kernels/device_buffer.h"

namespace rose::kernels {
namespace {

TEST(Probe, RunsOnTheCurrentDevice) {
  if (const std::string reason = NoGpu(); !reason.empty()) {
    EXPECT_NE(Probe(nullptr), cudaSuccess);
    GTEST_SKIP() << reason;
  }
  EXPECT_EQ(Probe(nullptr), cudaSuccess);
}

}  // namespace
}  // namespace rose::kernels
