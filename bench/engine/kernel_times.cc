// Time of each kernel of a program on a GPU. A library that the CUDA driver loads into it:
//   CUDA_INJECTION64_PATH=…/libkernel_times.so PROGRAM…
// At the program's end it prints, kernel by kernel, how often it ran, its mean and its share of
// all. The counts of a program that repeats one step are multiples of its repetitions.
#include <cupti.h>
#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Total {
  int64_t count = 0;
  uint64_t ns = 0;
};

struct Times {
  std::mutex mutex;
  std::map<std::string, Total> kernels;
};

/// Never destroyed: the driver reports until the process ends.
Times& AllTimes() {
  static auto* times = new Times;
  return *times;
}

std::string Readable(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : mangled;
}

void CUPTIAPI TakeBuffer(uint8_t** buffer, std::size_t* size, std::size_t* records_max) {
  constexpr std::size_t kBytes = 8 << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, kBytes));
  *size = *buffer == nullptr ? 0 : kBytes;
  *records_max = 0;
}

void CUPTIAPI ReadBuffer(CUcontext, uint32_t, uint8_t* buffer, std::size_t, std::size_t valid) {
  const std::unique_ptr<uint8_t, void (*)(void*)> owned(buffer, std::free);
  Times& times = AllTimes();
  const std::lock_guard lock(times.mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
    Total& total = times.kernels[kernel->name];
    ++total.count;
    total.ns += kernel->end - kernel->start;
  }
}

void Print() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  Times& times = AllTimes();
  const std::lock_guard lock(times.mutex);
  std::vector<std::pair<std::string, Total>> rows(times.kernels.begin(), times.kernels.end());
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  uint64_t all_ns = 0;
  for (const auto& [name, total] : rows) all_ns += total.ns;
  fmt::print("\n| kernel | runs | mean µs | share |\n| --- | --- | --- | --- |\n");
  for (const auto& [name, total] : rows) {
    fmt::print("| `{:.140}` | {} | {:.2f} | {:.1f} % |\n", Readable(name.c_str()), total.count,
               static_cast<double>(total.ns) * 1e-3 / static_cast<double>(total.count),
               100.0 * static_cast<double>(total.ns) / static_cast<double>(all_ns));
  }
  std::fflush(stdout);
}

}  // namespace

extern "C" int InitializeInjection() {  // The name that the driver calls.
  if (cuptiActivityRegisterCallbacks(TakeBuffer, ReadBuffer) != CUPTI_SUCCESS ||
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS) {
    fmt::print(stderr, "kernel_times: CUPTI does not start\n");
    return 0;
  }
  std::atexit(Print);
  return 1;
}
