#include "rose/cuda/attention_plans.h"

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

// What is refused before anything is queued: none of this needs a GPU.

namespace rose::cuda {
namespace {

using testing::HasSubstr;

std::unique_ptr<AttentionPlans> PlansOf(std::optional<AttentionMethod> forced) {
  auto plans = AttentionPlans::Create({.device = {}, .largest = {.tokens = 64}, .forced = forced});
  EXPECT_TRUE(plans.ok()) << plans.status();
  return *std::move(plans);
}

absl::Status RunOn(AttentionPlans& plans, const AttentionParams& params) {
  const Tensor qkv = {.dtype = DType::kBFloat16, .rows = 64, .cols = params.qkv_cols()};
  plans.BeginStep({.tokens = 64, .sequences = 1, .longest = 64});
  return plans.Run({}, params, /*cu_seqlens=*/nullptr, qkv, qkv);
}

TEST(AttentionPlans, SaysThatPagesAreNotBuilt) {
  const PagedKeys pages;
  for (const std::optional<AttentionMethod> forced :
       {std::optional<AttentionMethod>(), std::optional(AttentionMethod::kFa3)}) {
    const absl::Status status =
        RunOn(*PlansOf(forced), {.heads = 1, .head_dim = 64, .paged_keys = &pages});
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("pages"));
  }
}

TEST(AttentionPlans, NamesWhatTheForcedMethodCannotCompute) {
  const absl::Status status =
      RunOn(*PlansOf(AttentionMethod::kFa3), {.heads = 1, .head_dim = 64, .window = 3});
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("--attention fa3: cannot compute"));
}

TEST(AttentionPlans, NamesTheDeviceThatIsNotAHopper) {
  const absl::Status fa4 = AttentionPlans::Create({.device = {.compute_capability = 89},
                                                   .largest = {.tokens = 64},
                                                   .forced = AttentionMethod::kFa4})
                               .status();
  EXPECT_EQ(fa4.message(),
            "--attention fa4: it is for compute capability 9.0, the device is of compute "
            "capability 8.9");
  auto plans = AttentionPlans::Create({.device = {.compute_capability = 89},
                                       .largest = {.tokens = 64},
                                       .forced = AttentionMethod::kFa3});
  ASSERT_TRUE(plans.ok()) << plans.status();
  EXPECT_THAT(std::string(RunOn(**plans, {.heads = 1, .head_dim = 64}).message()),
              HasSubstr("capability 8.9"));
}

TEST(AttentionPlans, RefusesStepsThatFa2CannotCount) {
  // 2³¹ elements of qkv: 3 × 16 × 128 columns.
  auto plans = AttentionPlans::Create({.device = {.compute_capability = 80},
                                       .largest = {.tokens = (int64_t{1} << 31) / 6144 + 1},
                                       .forced = AttentionMethod::kFa2});
  ASSERT_TRUE(plans.ok()) << plans.status();
  const absl::Status status = RunOn(**plans, {.heads = 16, .head_dim = 128});
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("--max-batch-tokens"));
}

TEST(AttentionPlans, ForcedCudnnMustBeThere) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) GTEST_SKIP() << "there is a GPU";
  const absl::Status status =
      AttentionPlans::Create(
          {.device = {}, .largest = {.tokens = 64}, .forced = AttentionMethod::kCudnn})
          .status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("--attention cudnn: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("cuDNN"));
}

}  // namespace
}  // namespace rose::cuda
