#include "rose/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "rose/core/row_source.h"

namespace rose::cpu {
namespace {

/// Gives element i of the matrix the value i and remembers what was asked for.
class CountedRows final : public RowSource {
 public:
  using RowSource::Read;
  using RowSource::RowSource;

  void Read(int64_t row, int64_t count, float* out) const override {
    EXPECT_EQ(row, next_) << "rows are read once, in ascending order";
    next_ = row + count;
    most_ = std::max(most_, count);
    for (int64_t i = 0; i < count * cols_; ++i) out[i] = static_cast<float>(row * cols_ + i);
  }
  void Read(int64_t, int64_t, BFloat16*) const override { FAIL() << "asked for bfloat16"; }

  int64_t read() const { return next_; }
  int64_t most() const { return most_; }

 private:
  mutable int64_t next_ = 0;
  mutable int64_t most_ = 0;
};

TEST(CpuBackend, PacksALargeMatrixBlockByBlock) {
  CpuBackend backend(Isa::kAvx2, DType::kFloat32);
  const CountedRows weight(5001, 300);
  const LinearWeight* linear = backend.MakeLinear(weight, {}, DType::kFloat32);
  EXPECT_EQ(linear->out_features, 5001);
  EXPECT_EQ(weight.read(), 5001);
  EXPECT_LE(weight.most() * 300, int64_t{1} << 18);
}

TEST(CpuBackend, MakesFloat32LinearsAndTablesBesideBFloat16) {
  CpuBackend backend(Isa::kAvx2, DType::kBFloat16);
  const CountedRows weight(40, 8), rows(3, 8);
  EXPECT_EQ(backend.MakeLinear(weight, {}, DType::kFloat32)->dtype, DType::kFloat32);
  EXPECT_EQ(weight.read(), 40);
  const Tensor table = backend.MakeTable(rows, DType::kFloat32);
  EXPECT_EQ(table.dtype, DType::kFloat32);
  EXPECT_EQ(table.f32()[23], 23);
  EXPECT_GE(backend.memory_bytes(), table.bytes() + 40 * 9 * int64_t{sizeof(float)});
}

TEST(CpuBackend, RoundsATableToEven) {
  CpuBackend backend(Isa::kAvx2, DType::kBFloat16);
  const std::vector<float> values = {1 + 0x1p-8F, 1 + 3 * 0x1p-8F};
  const Tensor table = backend.MakeTable(values, 2, 1);
  ASSERT_EQ(table.dtype, DType::kBFloat16);
  EXPECT_EQ(table.bf16()[0].bits, 0x3f80);
  EXPECT_EQ(table.bf16()[1].bits, 0x3f82);
}

}  // namespace
}  // namespace rose::cpu
