#include "rose/kernels/step_io.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "rose/kernels/device_buffer.h"

namespace rose::kernels {
namespace {

struct Case {
  std::vector<int32_t> lengths;
  int64_t tokens = 0;     ///< Padded to these.
  int64_t sequences = 0;  ///< And these.
  bool has_types = false;
  bool has_prompts = false;
  bool on_host = true;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.lengths.size() << " of " << c.sequences << " sequences, " << c.tokens << " tokens"
             << (c.has_types ? ", types" : "") << (c.has_prompts ? ", prompts" : "")
             << (c.on_host ? ", on the host" : "");
}

class PinnedBytes {
 public:
  explicit PinnedBytes(int64_t bytes) {
    MustSucceed(cudaMallocHost(&data_, static_cast<std::size_t>(bytes)));
    std::memset(data_, 0xff, static_cast<std::size_t>(bytes));
  }
  ~PinnedBytes() { cudaFreeHost(data_); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

/// A step as the host writes it, and what its arrays must become.
struct Step {
  StepHeader header;
  std::vector<int32_t> cu_seqlens = {0}, ids, positions, types, prompts;
  std::vector<uint8_t> normalize;

  Step(const Case& c, uint32_t seed) {
    for (const int32_t length : c.lengths) {
      for (int32_t i = 0; i < length; ++i) {
        ids.push_back(static_cast<int32_t>(seed = seed * 1664525 + 1013904223) & 0xffff);
        types.push_back(ids.back() % 2);
        positions.push_back(i);
      }
      cu_seqlens.push_back(static_cast<int32_t>(ids.size()));
      prompts.push_back(length / 2 + 1);
      normalize.push_back(static_cast<uint8_t>(prompts.size() % 2));
    }
    header = {.tokens = cu_seqlens.back(),
              .sequences = static_cast<int32_t>(c.lengths.size()),
              .has_types = c.has_types ? 1 : 0,
              .has_prompts = c.has_prompts ? 1 : 0,
              .done_value = seed};
  }

  void Write(const Case& c, std::byte* place) const {
    const StepLayout layout = StepLayout::For(c.tokens, c.sequences);
    const auto copy = [&](const auto& values, int64_t offset) {
      std::memcpy(place + offset, values.data(), values.size() * sizeof(values[0]));
    };
    std::memcpy(place, &header, sizeof header);
    copy(cu_seqlens, layout.cu_seqlens);
    copy(ids, layout.ids);
    copy(normalize, layout.normalize);
    if (c.has_types) copy(types, layout.type_ids);
    if (c.has_prompts) copy(prompts, layout.prompt_lengths);
  }

  void Pad(const Case& c) {
    const auto tokens = static_cast<std::size_t>(c.tokens);
    const auto sequences = static_cast<std::size_t>(c.sequences);
    if (!c.has_types) types.clear();
    if (!c.has_prompts) prompts.clear();
    for (std::vector<int32_t>* values : {&ids, &positions, &types}) values->resize(tokens);
    prompts.resize(sequences);
    normalize.resize(sequences);
    cu_seqlens.resize(sequences + 1, header.tokens);
  }
};

template <typename T>
std::vector<T> Download(const DeviceBuffer& arrays, int64_t offset, std::size_t count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(arrays.bytes()));
  arrays.Download(bytes.data());
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data() + offset, count * sizeof(T));
  return values;
}

class FetchStepTest : public ::testing::TestWithParam<Case> {};

TEST_P(FetchStepTest, PadsEachStepOfTheRing) {
  if (const std::string reason = NoGpu(); !reason.empty()) GTEST_SKIP() << reason;
  constexpr int kPlaces = 3, kSteps = 5;
  const Case& c = GetParam();
  // The arrays are laid out for larger steps than this one.
  const StepLayout input = StepLayout::For(c.tokens, c.sequences);
  const StepLayout layout = StepLayout::For(c.tokens + 100, c.sequences + 3);
  const PinnedBytes pinned(kPlaces * input.input_bytes);
  const DeviceBuffer copied(input.input_bytes), state(sizeof(StepState)), arrays(layout.bytes);
  MustSucceed(cudaMemset(state.data(), 0, sizeof(StepState)));
  MustSucceed(cudaDeviceSynchronize());
  auto* const device_state = static_cast<StepState*>(state.data());
  StepInputs inputs{.data = copied.data(), .places = 1};
  if (c.on_host) {
    inputs = {.data = pinned.data(),
              .places = kPlaces,
              .place_bytes = input.input_bytes,
              .on_host = true};
  }
  for (uint32_t n = 0; n < kSteps; ++n) {
    Step step(c, n);
    std::byte* const place = pinned.data() + n % kPlaces * input.input_bytes;
    step.Write(c, place);
    if (!c.on_host) {
      MustSucceed(cudaMemcpy(copied.data(), place, static_cast<std::size_t>(input.input_bytes),
                             cudaMemcpyHostToDevice));
    }
    ASSERT_EQ(FetchStep({}, inputs, c.tokens, c.sequences,
                        {.data = arrays.data(), .layout = layout}, device_state),
              cudaSuccess);
    step.Pad(c);
    EXPECT_EQ(Download<int32_t>(arrays, layout.ids, step.ids.size()), step.ids);
    EXPECT_EQ(Download<int32_t>(arrays, layout.position_ids, step.ids.size()), step.positions);
    EXPECT_EQ(Download<int32_t>(arrays, layout.type_ids, step.ids.size()), step.types);
    EXPECT_EQ(Download<int32_t>(arrays, layout.cu_seqlens, step.cu_seqlens.size()),
              step.cu_seqlens);
    EXPECT_EQ(Download<int32_t>(arrays, layout.prompt_lengths, step.prompts.size()), step.prompts);
    EXPECT_EQ(Download<uint8_t>(arrays, layout.normalize, step.normalize.size()), step.normalize);
    StepState read;
    state.Download(&read);
    EXPECT_EQ(read.steps, n + 1);
    EXPECT_EQ(read.blocks_arrived, 0U);
    EXPECT_TRUE(read.header == step.header);
  }
  EXPECT_EQ(arrays.BrokenGuard(), "");
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const bool on_host : {true, false}) {
    cases.push_back({{1}, 16, 1, false, false, on_host});
    cases.push_back({{32}, 32, 1, true, false, on_host});
    cases.push_back({{0, 5, 0, 0, 9, 0}, 16, 8, true, true, on_host});
    cases.push_back({{7, 1, 30, 2, 60}, 128, 8, false, true, on_host});
    cases.push_back({std::vector<int32_t>(100, 3), 320, 128, true, true, on_host});
    cases.push_back({{1000, 23}, 1024, 2, true, false, on_host});
  }
  cases.push_back({{1950}, 1984, 1, false, false, true});  // The most that fits.
  cases.push_back({std::vector<int32_t>(100, 512), 51200, 128, true, true, false});
  cases.push_back({{30000, 0, 1, 2000}, 32256, 4, false, false, false});
  cases.push_back({std::vector<int32_t>(700, 1), 704, 1024, true, true, false});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Steps, FetchStepTest, ::testing::ValuesIn(Cases()));

TEST(FetchStep, RefusesAnInputThatIsTooLargeForTheBus) {
  const StepInputs inputs{.places = 1, .on_host = true};
  EXPECT_EQ(FetchStep({}, inputs, 4096, 1, {}, nullptr), cudaErrorInvalidValue);
}

/// Rows that are published again and again, each time with a flag of its own.
class Publication {
 public:
  Publication(int32_t sequences, int64_t cols)
      : sequences_(sequences),
        cols_(cols),
        values_(static_cast<std::size_t>((sequences + 2) * cols)),
        rows_(std::ssize(values_) * int64_t{sizeof(float)}),
        host_(rows_.bytes()),
        flag_(sizeof(uint32_t)),
        state_(sizeof(StepState)) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<float>(i) + 0.5F;
    rows_.Upload(values_.data());
  }

  cudaError_t Queue(uint32_t round) {
    std::memset(host_.data(), 0xff, static_cast<std::size_t>(rows_.bytes()));
    const StepState state{.header = {.sequences = sequences_,
                                     .rows = reinterpret_cast<float*>(host_.data()),
                                     .done = reinterpret_cast<uint32_t*>(flag_.data()),
                                     .done_value = round}};
    state_.Upload(&state);
    const Tensor rows{.data = rows_.data(), .rows = sequences_ + 2, .cols = cols_};
    return PublishRows({}, rows, static_cast<StepState*>(state_.data()));
  }

  /// Polls as the host does; false if the flag does not come.
  bool SeesFlag(uint32_t round) const {
    const std::atomic_ref<uint32_t> flag(*reinterpret_cast<uint32_t*>(flag_.data()));
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (flag.load(std::memory_order_acquire) != round) {
      if (std::chrono::steady_clock::now() > late) return false;
    }
    return true;
  }

  /// The first byte that is not as published; −1: all are, and what lies behind is untouched.
  int64_t WrongByte() const {
    const auto count = static_cast<std::size_t>(sequences_ * cols_) * sizeof(float);
    const auto* const want = reinterpret_cast<const std::byte*>(values_.data());
    const auto [got, _] = std::mismatch(host_.data(), host_.data() + count, want);
    if (got != host_.data() + count) return got - host_.data();
    return host_.data()[count] == std::byte{0xff} ? -1 : static_cast<int64_t>(count);
  }

  uint32_t BlocksArrived() const {
    StepState state;
    state_.Download(&state);
    return state.blocks_arrived;
  }

 private:
  int32_t sequences_;
  int64_t cols_;
  std::vector<float> values_;
  DeviceBuffer rows_;
  PinnedBytes host_, flag_;
  DeviceBuffer state_;
};

TEST(PublishRows, WhoeverSeesTheFlagSeesTheRows) {
  if (const std::string reason = NoGpu(); !reason.empty()) GTEST_SKIP() << reason;
  constexpr uint32_t kRounds = 300;
  struct Rows {
    int32_t count;
    int64_t cols;
  };
  for (const auto& [sequences, cols] : {Rows{1, 1024}, Rows{3, 7}, Rows{100, 384}}) {
    Publication publication(sequences, cols);
    for (uint32_t round = 1; round <= kRounds; ++round) {
      SCOPED_TRACE(std::to_string(sequences) + " rows, round " + std::to_string(round));
      ASSERT_EQ(publication.Queue(round), cudaSuccess);
      ASSERT_TRUE(publication.SeesFlag(round));
      ASSERT_EQ(publication.WrongByte(), -1);  // Without a wait in between.
      ASSERT_EQ(publication.BlocksArrived(), 0U);
    }
  }
}

}  // namespace
}  // namespace rose::kernels
