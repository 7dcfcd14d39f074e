#include "rose/cuda/fa4_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

// None of this needs a GPU; fa4_attention_gpu_test.cc runs the kernels.

namespace rose::cuda {
namespace {

using kernels::Fa4Tile;
using testing::HasSubstr;

std::string ErrorOf(const std::string& path) {
  const auto found = Fa4Library::Find(path);
  EXPECT_TRUE(absl::IsInvalidArgument(found.status())) << path;
  return std::string(found.status().message());
}

TEST(Fa4Library, NamesWhatCannotBeOpened) {
  EXPECT_THAT(ErrorOf("/nowhere/libparterre_fa4.so"),
              HasSubstr("not used: /nowhere/libparterre_fa4.so: "));
  EXPECT_THAT(ErrorOf("/dev/null"), HasSubstr("/dev/null"));
  EXPECT_THAT(ErrorOf("libm.so.6"), HasSubstr("libm.so.6 has no parterre_fa4_version"));
}

TEST(Fa4Library, TakesThePathFromTheEnvironment) {
  setenv("PARTERRE_FA4_LIBRARY", "/nowhere/other.so", 1);
  EXPECT_THAT(ErrorOf(""), HasSubstr("/nowhere/other.so"));
  EXPECT_THAT(ErrorOf("/nowhere/named.so"), HasSubstr("/nowhere/named.so"));
  unsetenv("PARTERRE_FA4_LIBRARY");
}

TEST(Fa4Library, SaysWhatItComputes) {
  const auto library = Fa4Library::Find();
  ASSERT_TRUE(library.ok()) << library.status();
  if (*library == nullptr) GTEST_SKIP() << "no libparterre_fa4.so: scripts/build_fa4.sh makes it";
  const auto supports = [&](const AttentionParams& params, DType dtype = DType::kBFloat16) {
    const bool stock = (*library)->Supports(params, dtype, Fa4Tile::kStock);
    EXPECT_EQ((*library)->Supports(params, dtype, Fa4Tile::kRows64), stock);
    return stock;
  };
  EXPECT_TRUE(supports({.heads = 16, .head_dim = 64}));
  EXPECT_TRUE(supports({.heads = 12, .kv_heads = 12, .head_dim = 64}));
  EXPECT_TRUE(supports({.heads = 16, .kv_heads = 8, .head_dim = 128}));
  const auto causal = AttentionMask::kCausal;
  EXPECT_TRUE(supports({.heads = 16, .kv_heads = 8, .head_dim = 128, .mask = causal}));

  EXPECT_FALSE(supports({.heads = 16, .head_dim = 64, .mask = causal}));
  EXPECT_FALSE(supports({.heads = 16, .head_dim = 64, .window = 64}));
  EXPECT_FALSE(supports({.heads = 12, .head_dim = 32}));
  EXPECT_FALSE(supports({.heads = 16, .kv_heads = 4, .head_dim = 128}));
  EXPECT_FALSE(supports({.heads = 16, .head_dim = 64}, DType::kFloat32));
  float bias = 0;
  EXPECT_FALSE(supports({.heads = 16, .head_dim = 64, .position_bias = {.data = &bias}}));
}

TEST(Fa4Library, ReturnsAnErrorWithoutAGpu) {
  const auto library = Fa4Library::Find();
  ASSERT_TRUE(library.ok()) << library.status();
  if (*library == nullptr) GTEST_SKIP() << "no libparterre_fa4.so: scripts/build_fa4.sh makes it";
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) GTEST_SKIP() << "there is a GPU";
  EXPECT_FALSE((*library)->Load(0).ok());
  const Tensor none = {.data = nullptr, .dtype = DType::kBFloat16, .rows = 0, .cols = 8};
  EXPECT_EQ((*library)->Attention({}, Fa4Tile::kStock, {.heads = 1, .head_dim = 64}, 0, nullptr,
                                  none, none),
            cudaSuccess);
  EXPECT_EQ((*library)->Attention({}, Fa4Tile::kStock, {.heads = 1, .head_dim = 32}, 0, nullptr,
                                  none, none),
            cudaErrorNotSupported);
  const Tensor askew = {.data = nullptr, .dtype = DType::kBFloat16, .rows = 0, .cols = 4};
  EXPECT_EQ((*library)->Attention({}, Fa4Tile::kStock, {.heads = 1, .head_dim = 64}, 0, nullptr,
                                  askew, none),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace rose::cuda
