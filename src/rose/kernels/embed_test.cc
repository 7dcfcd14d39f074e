#include "rose/kernels/embed.h"

#include <algorithm>
#include <span>

#include "rose/kernels/row_test.h"
#include "rose/kernels/shapes.h"

namespace rose::kernels {
namespace {

constexpr int32_t kGarbage = 0x7fffffff;  // What ids of padding may be.

class EmbedTest : public RowTest {
 protected:
  /// A table on both sides, and ids of its rows of which those behind `used` are garbage.
  struct Rows {
    HostTensor table;
    DeviceTensor device_table;
    std::vector<int32_t> ids;
    DeviceArray<int32_t> device_ids;

    Lookup lookup() const { return {device_table.tensor(), device_ids.data()}; }
    std::span<const int32_t> host_ids(int64_t used) const {
      return std::span(ids).first(static_cast<std::size_t>(used));
    }
  };

  Rows MakeRows(DType dtype, int64_t table_rows, RowShape shape, int64_t used) {
    const HostTensor table = Random(dtype, table_rows, shape.cols);
    std::vector<int32_t> ids = Ids(shape.rows, table_rows);
    std::fill(ids.begin() + used, ids.end(), kGarbage);
    return {table, DeviceTensor(table), ids, DeviceArray<int32_t>(ids)};
  }

  void ExpectEmbed(DType dtype, RowShape shape, int64_t used, int64_t offset);
  void ExpectEmbedNorm(DType dtype, RowShape shape, int64_t used);
};

void EmbedTest::ExpectEmbed(DType dtype, RowShape shape, int64_t used, int64_t offset) {
  const auto [rows, cols] = shape;
  SCOPED_TRACE(Name(dtype, rows, cols) + ", " + std::to_string(used) + " used, offset " +
               std::to_string(offset));
  const Rows words = MakeRows(dtype, 11, shape, used);
  HostTensor old = Random(dtype, rows, cols);
  for (const bool add : {false, true}) {
    if (!add) PoisonRows(old, 0);
    const DeviceTensor out(old, offset);
    const HostTensor want = Floats32(rows, cols);
    exact().Widen(old.tensor(), want.tensor());
    MustSucceed(Embed(RowsUsed(used), words.lookup(), add, out.tensor()));
    exact().Embed(words.table.tensor(), words.host_ids(used), want.tensor().Rows(0, used), add);
    EXPECT_EQ(Difference(out.Host(), want, 0, used), "") << "add " << add;
    EXPECT_EQ(NotZero(out.Host(), used, rows), "") << "add " << add;
    EXPECT_EQ(out.BrokenGuard(), "");
    old = Random(dtype, rows, cols);
  }
}

void EmbedTest::ExpectEmbedNorm(DType dtype, RowShape shape, int64_t used) {
  const auto [rows, cols] = shape;
  SCOPED_TRACE(Name(dtype, rows, cols) + ", " + std::to_string(used) + " used");
  const Rows words = MakeRows(dtype, 11, shape, used);
  const Rows positions = MakeRows(dtype, 64, shape, used), types = MakeRows(dtype, 2, shape, used);
  const HostTensor weight = Random(DType::kFloat32, 1, cols),
                   bias = Random(DType::kFloat32, 1, cols);
  const DeviceTensor device_weight(weight), device_bias(bias);
  NormParams host{
      .kind = NormKind::kLayer, .weight = weight.tensor(), .bias = bias.tensor(), .epsilon = 1e-5f};
  NormParams device = host;
  device.weight = device_weight.tensor();
  device.bias = device_bias.tensor();
  const HostTensor want = Floats32(rows, cols);
  for (const bool positioned : {true, false}) {
    for (const bool typed : {true, false}) {
      const DeviceTensor out(dtype, rows, cols);
      MustSucceed(EmbedNorm(RowsUsed(used), words.lookup(),
                            positioned ? positions.lookup() : Lookup{},
                            typed ? types.lookup() : Lookup{}, device, out.tensor()));
      exact().EmbedNorm(words.table.tensor(), words.host_ids(used),
                        positioned ? positions.table.tensor() : Tensor{},
                        positions.host_ids(positioned ? used : 0),
                        typed ? types.table.tensor() : Tensor{}, types.host_ids(typed ? used : 0),
                        host, want.tensor().Rows(0, used));
      EXPECT_EQ(Difference(out.Host(), want, 0, used, {.absolute = 2e-5}), "")
          << positioned << typed;
      EXPECT_EQ(NotZero(out.Host(), used, rows), "");
      EXPECT_EQ(out.BrokenGuard(), "");
    }
  }
}

TEST_F(EmbedTest, TakesAndAddsRows) {
  for (const DType dtype : kDTypes) {
    for (const RowShape& shape : kRowShapes) ExpectEmbed(dtype, shape, shape.rows, 0);
    for (const RowShape& shape : kManyRowShapes) ExpectEmbed(dtype, shape, shape.rows - 2, 0);
  }
}

TEST_F(EmbedTest, ReadsNoIdsOfPaddingAndTakesRowsOffAlignment) {
  for (const DType dtype : kDTypes) {
    for (const int64_t offset : {0, 1, 2}) {
      for (const int64_t used : {0, 1, 6}) ExpectEmbed(dtype, {9, 384}, used, offset);
    }
  }
}

TEST_F(EmbedTest, NormIsItsDefaultBodyWhateverIsAbsent) {
  for (const DType dtype : kDTypes) {
    for (const RowShape& shape : kRowShapes) ExpectEmbedNorm(dtype, shape, shape.rows);
    for (const RowShape& shape : kManyRowShapes) ExpectEmbedNorm(dtype, shape, shape.rows - 2);
    for (const int64_t used : {0, 1, 6}) ExpectEmbedNorm(dtype, {9, 768}, used);
  }
}

}  // namespace
}  // namespace rose::kernels
