#include "rose/kernels/pool.h"

#include <algorithm>
#include <numeric>

#include "rose/kernels/row_test.h"
#include "rose/kernels/shapes.h"

namespace rose::kernels {
namespace {

constexpr PoolingMode kModes[] = {PoolingMode::kCls,          PoolingMode::kMax,
                                  PoolingMode::kMean,         PoolingMode::kMeanSqrtLen,
                                  PoolingMode::kWeightedMean, PoolingMode::kLastToken,
                                  PoolingMode::kSum};
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

class PoolTest : public RowTest {
 protected:
  /// The packed tokens of some sequences, on both sides. Rows behind them are NaN.
  struct Step {
    std::vector<int32_t> cu_seqlens;
    HostTensor x;
    DeviceTensor device_x;
    DeviceArray<int32_t> device_cu_seqlens;

    int64_t sequences() const { return static_cast<int64_t>(cu_seqlens.size()) - 1; }
    int64_t tokens() const { return cu_seqlens.back(); }
    BatchShape shape() const { return BatchShape::OfHost(cu_seqlens); }
  };

  Step MakeStep(DType dtype, const std::vector<int32_t>& lengths, int64_t cols,
                int64_t offset = 0) {
    constexpr int64_t kPadding = 5;
    std::vector<int32_t> cu_seqlens(lengths.size() + 1);
    std::partial_sum(lengths.begin(), lengths.end(), cu_seqlens.begin() + 1);
    HostTensor x = Random(dtype, cu_seqlens.back() + kPadding, cols, 1, 0.3f);
    PoisonRows(x, cu_seqlens.back());
    return {cu_seqlens, x, DeviceTensor(x, offset), DeviceArray<int32_t>(cu_seqlens)};
  }

  /// Some nothing, some a part, some all.
  std::vector<int32_t> Skips(const std::vector<int32_t>& lengths) {
    std::vector<int32_t> skips = Ids(static_cast<int64_t>(lengths.size()), 4);
    for (std::size_t s = 0; s < lengths.size(); s += 5) skips[s] = lengths[s];
    return skips;
  }

  /// What Pool makes of a step, and zeros of empty sequences.
  HostTensor Pooled(PoolingMode mode, const Step& step, const std::vector<int32_t>& skips);
  HostTensor Normalized(const HostTensor& pooled, const std::vector<uint8_t>& flags);
  void ExpectPool(DType dtype, const std::vector<int32_t>& lengths, int64_t cols, int64_t offset);
};

HostTensor PoolTest::Pooled(PoolingMode mode, const Step& step, const std::vector<int32_t>& skips) {
  const int64_t cols = step.x.tensor().cols;
  HostTensor want = Floats32(step.sequences(), cols);
  for (int64_t s = 0; s < step.sequences(); ++s) {
    const int64_t begin = step.cu_seqlens[s], tokens = step.cu_seqlens[s + 1] - begin;
    if (tokens == 0) {
      for (int64_t c = 0; c < cols; ++c) want.Set(s * cols + c, 0);
      continue;
    }
    const std::vector<int32_t> bounds = {0, static_cast<int32_t>(tokens)};
    const auto skip = skips.empty() ? std::span<const int32_t>() : std::span(skips).subspan(s, 1);
    exact().Pool(mode, step.x.tensor().Rows(begin, tokens), BatchShape::OfHost(bounds), skip, 0,
                 want.tensor().Rows(s, 1));
  }
  return want;
}

HostTensor PoolTest::Normalized(const HostTensor& pooled, const std::vector<uint8_t>& flags) {
  const Tensor shape = pooled.tensor();
  const HostTensor want = Floats32(shape.rows, shape.cols);
  exact().Widen(shape, want.tensor());
  exact().Normalize(flags, want.tensor());
  return want;
}

void PoolTest::ExpectPool(DType dtype, const std::vector<int32_t>& lengths, int64_t cols,
                          int64_t offset) {
  const Step step = MakeStep(dtype, lengths, cols, offset);
  const int64_t sequences = step.sequences();
  const std::vector<int32_t> skips = Skips(lengths);
  const DeviceArray<int32_t> device_skips(skips);
  std::vector<uint8_t> flags(lengths.size());
  for (std::size_t s = 0; s < flags.size(); ++s) flags[s] = s % 3 != 1;
  const DeviceArray<uint8_t> device_flags(flags);
  constexpr int64_t kColumn = 3, kMoreCols = 8;
  // Sums of many tokens are rounded more often than the oracle's.
  const Tolerance tolerance{.absolute = 3e-6 * std::sqrt(1.0 + step.tokens()), .relative = 1e-5};
  for (const PoolingMode mode : kModes) {
    for (const bool skipping : {false, true}) {
      SCOPED_TRACE(Name(dtype, step.tokens(), cols) + " in " + std::to_string(sequences) +
                   " sequences, offset " + std::to_string(offset) + ", mode " +
                   std::to_string(static_cast<int>(mode)) + ", skipping " +
                   std::to_string(skipping));
      const int32_t* skip = skipping ? device_skips.data() : nullptr;
      const int32_t* cu_seqlens = step.device_cu_seqlens.data();
      const HostTensor want = Pooled(mode, step, skipping ? skips : std::vector<int32_t>());

      const DeviceTensor alone(DType::kFloat32, sequences, cols);
      MustSucceed(
          Pool(AllRows(), mode, step.device_x.tensor(), cu_seqlens, skip, 0, alone.tensor()));
      EXPECT_EQ(Difference(alone.Host(), want, 0, sequences, tolerance), "");
      EXPECT_EQ(alone.BrokenGuard(), "");

      const DeviceTensor beside(DType::kFloat32, sequences, cols + kMoreCols);
      MustSucceed(Pool(AllRows(), mode, step.device_x.tensor(), cu_seqlens, skip, kColumn,
                       beside.tensor()));
      const HostTensor wide = beside.Host();
      HostTensor inside = Floats32(sequences, cols);
      for (int64_t i = 0; i < wide.tensor().elements(); ++i) {
        const int64_t s = i / wide.tensor().cols, c = i % wide.tensor().cols - kColumn;
        if (0 <= c && c < cols) {
          inside.Set(s * cols + c, wide.Get(i));
        } else {
          ASSERT_TRUE(std::isnan(wide.Get(i))) << "row " << s << " column " << c << " written";
        }
      }
      EXPECT_EQ(Difference(inside, want, 0, sequences, tolerance), "");

      for (const bool flagged : {false, true}) {
        const DeviceTensor unit(DType::kFloat32, sequences, cols);
        MustSucceed(PoolNormalize(AllRows(), mode, step.device_x.tensor(), cu_seqlens, skip,
                                  flagged ? device_flags.data() : nullptr, unit.tensor()));
        const HostTensor want_unit = Normalized(want, flagged ? flags : std::vector<uint8_t>());
        EXPECT_EQ(Difference(unit.Host(), want_unit, 0, sequences, tolerance), "") << flagged;
        EXPECT_EQ(unit.BrokenGuard(), "");
      }
    }
  }
}

TEST_F(PoolTest, IsEachModeOfEachSequence) {
  for (const DType dtype : kDTypes) {
    for (const std::vector<int32_t>& lengths : kSequenceLengths) {
      for (const int64_t cols : {384, 1024, 33}) ExpectPool(dtype, lengths, cols, 0);
    }
  }
}

TEST_F(PoolTest, TakesRowsOfAnyWidthAndAlignment) {
  const std::vector<int32_t> lengths = {3, 0, 40, 1, 2, 33};
  for (const DType dtype : kDTypes) {
    for (const int64_t cols : {1, 7, 64, 768, 770, 1025, 3072, 4096, 8200, 33000}) {
      ExpectPool(dtype, lengths, cols, 0);
    }
    for (const int64_t offset : {1, 2}) ExpectPool(dtype, lengths, 768, offset);
  }
}

TEST_F(PoolTest, TakesOneLongSequence) { ExpectPool(DType::kBFloat16, {32768}, 128, 0); }

// Others in the step, and where a sequence lies in it, change no bit.
TEST_F(PoolTest, DoesNotDependOnTheNeighbours) {
  constexpr int64_t kCols = 1024;
  const HostTensor rows = Random(DType::kBFloat16, 100, kCols);
  const std::vector<int32_t> many = {0, 3, 60, 97, 100}, one = {0, 37};
  const DeviceArray<int32_t> device_many(many), device_one(one);
  HostTensor middle(DType::kBFloat16, 37, kCols), spoilt = rows;
  for (int64_t i = 0; i < 37 * kCols; ++i) middle.Set(i, rows.Get(60 * kCols + i));
  for (int64_t i = 0; i < 60 * kCols; ++i) spoilt.Set(i, kNaN);
  const DeviceTensor device_middle(middle), device_spoilt(spoilt);
  for (const PoolingMode mode : kModes) {
    const DeviceTensor alone(DType::kFloat32, 1, kCols), among(DType::kFloat32, 4, kCols);
    MustSucceed(PoolNormalize(AllRows(), mode, device_middle.tensor(), device_one.data(), nullptr,
                              nullptr, alone.tensor()));
    MustSucceed(PoolNormalize(AllRows(), mode, device_spoilt.tensor(), device_many.data(), nullptr,
                              nullptr, among.tensor()));
    const HostTensor want = alone.Host(), got = among.Host();
    for (int64_t c = 0; c < kCols; ++c) {
      ASSERT_EQ(got.Get(2 * kCols + c), want.Get(c)) << static_cast<int>(mode) << " column " << c;
    }
  }
}

TEST_F(PoolTest, LargestValueKeepsNaN) {
  const std::vector<int32_t> lengths = {40, 40};
  const Step step = MakeStep(DType::kFloat32, lengths, 384);
  for (const int64_t row : {0, 17, 39}) {
    HostTensor x = step.x;
    x.Set(row * 384 + 200, kNaN);
    const DeviceTensor device_x(x), out(DType::kFloat32, 2, 384);
    MustSucceed(Pool(AllRows(), PoolingMode::kMax, device_x.tensor(), step.device_cu_seqlens.data(),
                     nullptr, 0, out.tensor()));
    const HostTensor got = out.Host();
    EXPECT_TRUE(std::isnan(got.Get(200))) << row;
    EXPECT_FALSE(std::isnan(got.Get(199)));
    EXPECT_FALSE(std::isnan(got.Get(384 + 200)));
  }
}

TEST_F(PoolTest, BlocksTogetherAreThePoolingOfAll) {
  for (const DType dtype : kDTypes) {
    for (const std::vector<int32_t>& lengths : kSequenceLengths) {
      for (const int64_t cols : {384, 770, 30522, 33}) {
        const Step step = MakeStep(dtype, lengths, cols);
        for (const PoolingMode mode : {PoolingMode::kMax, PoolingMode::kSum}) {
          const bool max = mode == PoolingMode::kMax;
          const float none = max ? -std::numeric_limits<float>::infinity() : 0;
          const DeviceTensor out(DType::kFloat32, step.sequences(), cols);
          MustSucceed(Fill(AllRows(), none, out.tensor()));
          constexpr int64_t kBlock = 100;
          for (int64_t first = 0; first < step.tokens(); first += kBlock) {
            const int64_t rows = std::min(kBlock, step.tokens() + 5 - first);
            MustSucceed(PoolBlock(AllRows(), mode, step.device_x.tensor().Rows(first, rows), first,
                                  step.device_cu_seqlens.data(), out.tensor()));
          }
          HostTensor want = Pooled(mode, step, {});
          for (int64_t s = 0; max && s < step.sequences(); ++s) {
            if (lengths[s] != 0) continue;
            for (int64_t c = 0; c < cols; ++c) want.Set(s * cols + c, none);
          }
          EXPECT_EQ(
              Difference(out.Host(), want, 0, step.sequences(),
                         {.absolute = 3e-6 * std::sqrt(1.0 + step.tokens()), .relative = 1e-5}),
              "")
              << Name(dtype, step.tokens(), cols) << ", mode " << static_cast<int>(mode);
          EXPECT_EQ(out.BrokenGuard(), "");
        }
      }
    }
  }
}

TEST_F(PoolTest, NormalizeDividesByTheNormOfFlaggedRows) {
  for (const DType dtype : kDTypes) {
    for (const auto& [rows, cols] : kRowShapes) {
      HostTensor x = Random(dtype, rows, cols);
      const std::vector<float> scales = {1, 0, 1e-20f, 1e20f, 1e-3f};
      for (int64_t i = 0; i < rows * cols; ++i) {
        x.Set(i, x.Get(i) * scales[(i / cols) % static_cast<int64_t>(scales.size())]);
      }
      std::vector<uint8_t> flags(rows);
      for (int64_t r = 0; r < rows; ++r) flags[r] = r % 3 != 1;
      const DeviceArray<uint8_t> device_flags(flags);
      for (const bool flagged : {false, true}) {
        const DeviceTensor device_x(x);
        MustSucceed(
            Normalize(AllRows(), flagged ? device_flags.data() : nullptr, device_x.tensor()));
        const HostTensor want = Normalized(x, flagged ? flags : std::vector<uint8_t>());
        EXPECT_EQ(Difference(device_x.Host(), want, 0, rows), "")
            << Name(dtype, rows, cols) << ", flagged " << flagged;
        EXPECT_EQ(device_x.BrokenGuard(), "");
      }
    }
  }
}

}  // namespace
}  // namespace rose::kernels
