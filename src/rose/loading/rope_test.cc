#include "rose/loading/rope.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rose/core/reference_backend.h"

namespace rose {
namespace {

// A model in bfloat16 has its angles in double and their sines in float32 all the same, up to the
// last position of the longest model.
TEST(MakeRope, Bug36_FarPositionsAreAsExactAsNearOnes) {
  constexpr int64_t kPositions = 32'768;
  constexpr int kHeadDim = 16;
  for (const double theta : {1e4, 1e6}) {
    ReferenceBackend backend(DType::kBFloat16);
    const auto weights = Weights::Random(1);
    Loader load(*weights, backend);
    const Tensor table = MakeRope(theta, kPositions, kHeadDim, load).table;
    ASSERT_EQ(table.dtype, DType::kFloat32);
    ASSERT_EQ(table.rows, kPositions);
    for (const int64_t position : {0, 1, 2047, 2048, 8191, 15'962, 15'963, 16'384, 32'767}) {
      const float* const row = table.f32() + position * kHeadDim;
      for (int f = 0; f < kHeadDim / 2; ++f) {
        const double angle =
            static_cast<double>(position) * std::pow(theta, -2.0 * f / double{kHeadDim});
        EXPECT_NEAR(row[f], std::cos(angle), 6e-8) << position << " " << f;
        EXPECT_NEAR(row[kHeadDim / 2 + f], std::sin(angle), 6e-8) << position << " " << f;
      }
    }
    // Neighbours differ in the fastest angle by one radian, which 8 bits of position would lose.
    for (int64_t position = 1; position < kPositions; ++position) {
      ASSERT_NE(table.f32()[position * kHeadDim], table.f32()[(position - 1) * kHeadDim])
          << position;
    }
  }
}

}  // namespace
}  // namespace rose
