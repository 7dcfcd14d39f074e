#include "rose/runtime/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "rose/runtime/backends.h"

namespace rose {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ChooseDType, AutoFollowsTheDevice) {
  EXPECT_EQ(*ChooseDType("auto", true, "amx"), DType::kBFloat16);
  EXPECT_EQ(*ChooseDType("auto", false, "avx2"), DType::kFloat32);
}

TEST(ChooseDType, AnExplicitOneIsKept) {
  EXPECT_EQ(*ChooseDType("float32", true, "amx"), DType::kFloat32);
  EXPECT_EQ(*ChooseDType("bfloat16", true, "amx"), DType::kBFloat16);
}

TEST(ChooseDType, BFloat16IsRefusedWhereTheDeviceLacksIt) {
  const absl::Status status = ChooseDType("bfloat16", false, "avx2").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("--dtype"), HasSubstr("avx2")));
}

TEST(ChooseDType, Bug33_AnUnknownNameIsRefused) {
  EXPECT_THAT(std::string(ChooseDType("float16", true, "amx").status().message()),
              AllOf(HasSubstr("--dtype"), HasSubstr("\"float16\"")));
}

TEST(FindBackend, KnowsItsDevices) {
  EXPECT_EQ((*FindBackend("cpu"))->name, "cpu");
  EXPECT_TRUE((*FindBackend("auto"))->usable().ok());
}

TEST(FindBackend, RefusesWhatThisBuildLacks) {
  EXPECT_THAT(std::string(FindBackend("tpu").status().message()),
              AllOf(HasSubstr("--device: expected auto or "), HasSubstr("got \"tpu\"")));
  EXPECT_THAT(std::string(FindBackend("cpu:1").status().message()), HasSubstr("got \"cpu:1\""));
  if (Backends().front().name != "cpu") {
    EXPECT_THAT(std::string(FindBackend("tpu").status().message()),
                HasSubstr("expected auto or cuda:N or cpu, got"));
    return;
  }
  EXPECT_THAT(std::string(FindBackend("cuda:0").status().message()),
              AllOf(HasSubstr("--device"), HasSubstr("\"cuda:0\""), HasSubstr("no CUDA")));
}

TEST(FindBackend, SaysWhyThereIsNothingToTune) {
  const absl::Status status = (*FindBackend("cpu"))->tune({}, {.device = "cpu"});
  EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("--device cpu: nothing to tune on a CPU"));
  const bool has_cuda = Backends().front().name == "cuda";
  EXPECT_EQ(std::string(status.message()).ends_with("this build has no CUDA"), !has_cuda) << status;
}

}  // namespace
}  // namespace rose
