#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "rose/cuda/device.h"
#include "rose/cuda/memory.h"
#include "rose/cuda/stream.h"

// A call that failed and was dealt with is not found as the last error. (Without a driver that
// error stands for good.)

namespace rose::cuda {
namespace {

constexpr int64_t kTooMuch = int64_t{1} << 55;

class LastErrorTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto device = OpenDevice(0);
    if (!device.ok()) GTEST_SKIP() << "no GPU: " << device.status();
  }
};

TEST_F(LastErrorTest, IsNoneAfterFailures) {
  const absl::Status pinned = PinnedMemory::Allocate(kTooMuch, "a test").status();
  EXPECT_TRUE(absl::IsResourceExhausted(pinned)) << pinned;
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "pinned memory";
  const absl::Status on_device = DeviceMemory::Allocate(kTooMuch, "a test").status();
  EXPECT_TRUE(absl::IsResourceExhausted(on_device)) << on_device;
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "device memory";
  EXPECT_FALSE(UseDevice(99).ok());
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "a device";
}

TEST_F(LastErrorTest, IsNoneWhileAnEventIsAwaited) {
  const Stream stream = Stream::Create().value();
  const Event event = Event::Create().value();
  std::atomic<bool> done = false;
  const auto wait = [](void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
  };
  ASSERT_EQ(cudaLaunchHostFunc(stream.get(), wait, &done), cudaSuccess);
  EXPECT_EQ(event.Record(stream), cudaSuccess);
  EXPECT_EQ(event.Query(), cudaErrorNotReady);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  done = true;
  EXPECT_EQ(event.Wait(), cudaSuccess);
  EXPECT_EQ(event.Query(), cudaSuccess);
}

}  // namespace
}  // namespace rose::cuda
