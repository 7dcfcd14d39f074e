#include "rose/cuda/device.h"

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rose::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Device, IsNamedByItsNumber) {
  EXPECT_EQ(ParseDevice("cuda").value(), 0);
  EXPECT_EQ(ParseDevice("cuda:7").value(), 7);
  for (const char* flag : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda1", ""}) {
    EXPECT_FALSE(ParseDevice(flag).ok()) << flag;
  }
}

TEST(Device, SaysWhyThereIsNone) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) GTEST_SKIP() << "there is a GPU";
  EXPECT_THAT(std::string(OpenDevice(3).status().message()),
              HasSubstr("--device cuda:3: there is no "));
  EXPECT_THAT(std::string(OpenFirstDevice().status().message()),
              AllOf(HasSubstr("there is no "), Not(HasSubstr("--device"))));
}

}  // namespace
}  // namespace rose::cuda
