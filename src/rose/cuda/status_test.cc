#include "rose/cuda/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rose::cuda {
namespace {

TEST(Status, NamesWhatFailedAndTheError) {
  const absl::Status status = ToStatus(cudaErrorInvalidValue, "a call");
  EXPECT_TRUE(absl::IsInternal(status)) << status;
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("a call: "));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("cudaErrorInvalidValue"));
  EXPECT_TRUE(absl::IsResourceExhausted(ToStatus(cudaErrorMemoryAllocation, "memory")));
  EXPECT_TRUE(ToStatus(cudaSuccess, "nothing").ok());
}

}  // namespace
}  // namespace rose::cuda
