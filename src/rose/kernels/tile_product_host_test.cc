#include <gtest/gtest.h>

#include <optional>

#include "rose/kernels/tile_product.h"

namespace rose::kernels {
namespace {

using enum TileProductForm;

TEST(TileProductPlanTest, FitsWhatKernelsCanDo) {
  EXPECT_TRUE(FitsTileProduct({kGate, Activation::kSilu, 512, 6144, 1024}));
  EXPECT_TRUE(FitsTileProduct({kGate, Activation::kGeluTanh, 512, 2304, 768}));
  EXPECT_TRUE(FitsTileProduct({kLinear, {}, 512, 1000, 72}));
  EXPECT_TRUE(FitsTileProduct({kLinear, Activation::kGelu, 512, 4096, 1024}));
  EXPECT_FALSE(FitsTileProduct({kGate, Activation::kSilu, 512, 6152, 1024}));
  EXPECT_FALSE(FitsTileProduct({kGate, {}, 512, 6144, 1024}));
  EXPECT_FALSE(FitsTileProduct({kGate, Activation::kTanh, 512, 6144, 1024}));
  EXPECT_FALSE(FitsTileProduct({kLinear, Activation::kSilu, 512, 6144, 1024}));
  EXPECT_FALSE(FitsTileProduct({kLinear, {}, 512, 1001, 1024}));
  EXPECT_FALSE(FitsTileProduct({kLinear, {}, 512, 1024, 1020}));
}

std::optional<TileProductPlan> ChooseGate(int64_t tokens) {
  return ChooseTileProduct({kGate, Activation::kSilu, tokens, 6144, 1024});
}
std::optional<TileProductPlan> ChooseUp(int64_t tokens) {
  return ChooseTileProduct({kLinear, Activation::kGelu, tokens, 4096, 1024});
}
std::optional<TileProductPlan> ChooseQkv(int64_t tokens) {
  return ChooseTileProduct({kLinear, {}, tokens, 4096, 1024});
}

TEST(TileProductPlanTest, ChoosesWhatWasFastest) {
  constexpr TileProductPlan kNarrow = {128, false}, kWide = {192, false};
  constexpr TileProductPlan kNarrowPingPong = {128, true}, kWidePingPong = {192, true};
  EXPECT_EQ(ChooseGate(256), kNarrow);
  EXPECT_EQ(ChooseGate(384), kWide);
  EXPECT_EQ(ChooseGate(512), kWide);
  EXPECT_EQ(ChooseGate(1024), kWidePingPong);
  EXPECT_EQ(ChooseGate(51200), kWidePingPong);
  EXPECT_EQ(ChooseUp(512), kNarrow);
  EXPECT_EQ(ChooseUp(768), kWide);
  EXPECT_EQ(ChooseUp(1024), kNarrowPingPong);
  EXPECT_EQ(ChooseUp(51200), kNarrowPingPong);
  EXPECT_EQ(ChooseQkv(512), kNarrow);
  EXPECT_EQ(ChooseQkv(1024), kNarrowPingPong);
}

TEST(TileProductPlanTest, LeavesToOthersWhatTheyDoFaster) {
  EXPECT_EQ(ChooseGate(128), std::nullopt);   // Products of few tokens.
  EXPECT_EQ(ChooseGate(768), std::nullopt);   // A second wave, half empty.
  EXPECT_EQ(ChooseQkv(256), std::nullopt);    // Half of the multiprocessors.
  EXPECT_EQ(ChooseQkv(51200), std::nullopt);  // Nothing to be gained behind the product.
  EXPECT_EQ(ChooseTileProduct({kLinear, {}, 512, 1024, 1024}), std::nullopt);
  EXPECT_EQ(ChooseTileProduct({kGate, Activation::kTanh, 512, 6144, 1024}), std::nullopt);
}

}  // namespace
}  // namespace rose::kernels
