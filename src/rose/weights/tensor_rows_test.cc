#include "rose/weights/tensor_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace rose {
namespace {

using ::testing::ElementsAre;

template <typename T>
HostTensor Tensor(DType dtype, const std::vector<T>& values) {
  const auto buffer = std::make_shared<std::vector<T>>(values);
  return {.name = "t",
          .dtype = dtype,
          .bytes = std::as_bytes(std::span<const T>(*buffer)),
          .buffer = buffer};
}

std::vector<float> Floats(const RowSource& rows, int64_t row, int64_t count) {
  std::vector<float> out(static_cast<std::size_t>(count * rows.cols()));
  rows.Read(row, count, out.data());
  return out;
}

TEST(TensorRows, TensorsOfAnyTypeOneBelowTheOther) {
  TensorRows rows(2);
  rows.Append(Tensor<float>(DType::kFloat32, {1, 2, 3, 4, 5, 6}), 1, 2);
  rows.Append(Tensor<uint16_t>(DType::kFloat16, {0x3c00, 0xc000}), 0, 1);
  rows.Append(Tensor<uint16_t>(DType::kBFloat16, {0x3f80, 0x4000, 0x4040, 0x4080}), 0, 1);
  EXPECT_EQ(rows.rows(), 4);
  EXPECT_EQ(rows.bytes(), 2 * 8 + 4 + 4);
  EXPECT_THAT(Floats(rows, 0, 4), ElementsAre(3, 4, 5, 6, 1, -2, 1, 2));
  EXPECT_THAT(Floats(rows, 1, 2), ElementsAre(5, 6, 1, -2));
  EXPECT_THAT(Floats(rows, 3, 1), ElementsAre(1, 2));
  EXPECT_THAT(Floats(rows, 4, 0), ElementsAre());
}

TEST(TensorRows, BFloat16SurvivesAndTheRestIsRounded) {
  TensorRows rows(2);
  // A NaN with a payload, a subnormal: any bits.
  rows.Append(Tensor<uint16_t>(DType::kBFloat16, {0x7f81, 0x0001}), 0, 1);
  rows.Append(Tensor<float>(DType::kFloat32, {1 + 0x1p-8F, 1 + 3 * 0x1p-8F}), 0, 1);
  rows.Append(Tensor<uint16_t>(DType::kFloat16, {0x3c04, 0x3c0c}), 0, 1);
  std::vector<BFloat16> out(6);
  rows.Read(0, 3, out.data());
  std::vector<int> bits;
  for (const BFloat16 value : out) bits.push_back(value.bits);
  EXPECT_THAT(bits, ElementsAre(0x7f81, 0x0001, 0x3f80, 0x3f82, 0x3f80, 0x3f82));
}

/// Kilobytes of files that this process holds in memory.
int64_t ResidentFileKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    int64_t kilobytes = 0;
    if (word == "RssFile:" && status >> kilobytes) return kilobytes;
  }
  return -1;
}

TEST(TensorRows, PagesLeaveMemoryAsTheyAreRead) {
  constexpr int64_t kRows = 16 << 10, kCols = 1 << 10;  // 64 MiB of float32.
  std::string name = (std::filesystem::temp_directory_path() / "tensor_rows_XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  ASSERT_GE(descriptor, 0);
  ::close(descriptor);
  std::vector<float> values(kCols);
  std::ofstream out(name, std::ios::binary);
  for (int64_t row = 0; row < kRows; ++row) {
    values[0] = static_cast<float>(row);
    out.write(reinterpret_cast<const char*>(values.data()), kCols * sizeof(float));
  }
  out.close();
  const auto file = *MappedFile::Open(name);
  std::filesystem::remove(name);
  TensorRows rows(kCols);
  rows.Append({.name = "t", .dtype = DType::kFloat32, .bytes = file->bytes(), .file = file}, 0,
              kRows);
  const int64_t before = ResidentFileKilobytes();
  if (before < 0) GTEST_SKIP() << "no RssFile in /proc/self/status";
  for (int64_t row = 0; row < kRows; row += 16) {
    rows.Read(row, 16, std::vector<float>(16 * kCols).data());
  }
  EXPECT_LT(ResidentFileKilobytes() - before, 2 << 10);
  // What left comes back.
  EXPECT_EQ(Floats(rows, 5, 1)[0], 5);
  EXPECT_EQ(Floats(rows, kRows - 1, 1)[0], kRows - 1);
}

}  // namespace
}  // namespace rose
