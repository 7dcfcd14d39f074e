#include "rose/cpu/isa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rose::cpu {
namespace {

using ::testing::HasSubstr;

TEST(IsaTest, AutoIsWhatTheProcessorHas) {
  EXPECT_EQ(ParseIsa("auto", Isa::kAvx512).value(), Isa::kAvx512);
}

TEST(IsaTest, ACapLowersIt) {
  EXPECT_EQ(ParseIsa("avx2", Isa::kAmx).value(), Isa::kAvx2);
  EXPECT_EQ(ParseIsa("avx512_bf16", Isa::kAmx).value(), Isa::kAvx512Bf16);
  EXPECT_EQ(ParseIsa("amx", Isa::kAmx).value(), Isa::kAmx);
}

TEST(IsaTest, ACapAboveTheProcessorIsRefusedByName) {
  const auto isa = ParseIsa("amx", Isa::kAvx512);
  EXPECT_EQ(isa.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(isa.status().message()), HasSubstr("--isa amx"));
  EXPECT_THAT(std::string(isa.status().message()), HasSubstr("avx512"));
}

TEST(IsaTest, AnUnknownWordIsRefusedByName) {
  const auto isa = ParseIsa("sse", Isa::kAmx);
  EXPECT_EQ(isa.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(isa.status().message()), HasSubstr("--isa sse"));
}

TEST(IsaTest, EverythingDetectedCanBeAskedFor) {
  const auto isa = DetectIsa();
  if (!isa.ok()) GTEST_SKIP() << isa.status().message();
  EXPECT_EQ(ParseIsa(IsaName(*isa), *isa).value(), *isa);
}

}  // namespace
}  // namespace rose::cpu
