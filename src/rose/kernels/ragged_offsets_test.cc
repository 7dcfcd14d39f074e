#include "rose/kernels/ragged_offsets.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "rose/kernels/device_buffer.h"
#include "rose/kernels/shapes.h"

namespace rose::kernels {
namespace {

/// int32 in device memory between guards.
class Integers {
 public:
  explicit Integers(int64_t count) : buffer_(count * int64_t{sizeof(int32_t)}) {}

  int32_t* data() const { return static_cast<int32_t*>(buffer_.data()); }
  std::vector<int32_t> Host() const {
    EXPECT_EQ(buffer_.BrokenGuard(), "");
    std::vector<int32_t> host(static_cast<std::size_t>(buffer_.bytes()) / sizeof(int32_t));
    buffer_.Download(host.data());
    return host;
  }

 private:
  DeviceBuffer buffer_;
};

void ExpectOffsets(const std::vector<int32_t>& lengths, int64_t slots, int32_t qkv_cols,
                   int32_t out_cols) {
  std::vector<int32_t> bounds = {0};
  for (const int32_t length : lengths) bounds.push_back(bounds.back() + length);
  bounds.resize(static_cast<std::size_t>(slots + 1), bounds.back());
  std::vector<int32_t> want_lengths = lengths, want_qkv, want_out;
  want_lengths.resize(static_cast<std::size_t>(slots), 0);
  for (const int32_t bound : bounds) {
    want_qkv.push_back(bound * qkv_cols);
    want_out.push_back(bound * out_cols);
  }
  const DeviceArray<int32_t> cu_seqlens(bounds);
  const Integers got_lengths(slots), got_qkv(slots + 1), got_out(slots + 1);
  for (const bool overlap : {false, true}) {
    MustSucceed(FindRaggedOffsets({.overlap = overlap}, cu_seqlens.data(), slots, qkv_cols,
                                  out_cols,
                                  {.lengths = got_lengths.data(),
                                   .qkv_offsets = got_qkv.data(),
                                   .out_offsets = got_out.data()}));
    EXPECT_EQ(got_lengths.Host(), want_lengths);
    EXPECT_EQ(got_qkv.Host(), want_qkv);
    EXPECT_EQ(got_out.Host(), want_out);
  }
}

TEST(RaggedOffsetsTest, AreAsTheReference) {
  if (const std::string why = NoGpu(); !why.empty()) GTEST_SKIP() << why;
  std::vector<std::vector<int32_t>> cases = kSequenceLengths;
  cases.emplace_back();
  cases.emplace_back(255, 3);  // The last bound is the last thread's, or the next block's.
  cases.emplace_back(256, 7);
  cases.emplace_back(5000, 11);
  for (const std::vector<int32_t>& lengths : cases) {
    for (const int64_t spare : {0, 1, 300}) {
      SCOPED_TRACE(testing::Message() << lengths.size() << " sequences, " << spare << " spare");
      const int64_t slots = static_cast<int64_t>(lengths.size()) + spare;
      ExpectOffsets(lengths, slots, 4096, 2048);
      ExpectOffsets(lengths, slots, 2304, 768);
    }
  }
}

}  // namespace
}  // namespace rose::kernels
