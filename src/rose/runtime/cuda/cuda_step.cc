#include "rose/runtime/cuda/cuda_step.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/check.h"
#include "common/pause.h"
#include "rose/cuda/device.h"
#include "rose/cuda/status.h"

namespace rose {
namespace {

/// Rows that are there from the start, so that ordinary steps never take memory.
constexpr int64_t kRowBytesMin = int64_t{1} << 20;

}  // namespace

class CudaStep::Lazy final : public LazyTensor {
 public:
  explicit Lazy(CudaStep& step) : step_(step) {}
  ~Lazy() override {
    step_.Wait().IgnoreError();  // Whoever wanted to know has asked.
    step_.fault_ = absl::OkStatus();
    step_.taken_.store(false, std::memory_order_release);
  }
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;

  static void* operator new(std::size_t, std::byte* place) { return place; }
  static void operator delete(void*, std::byte*) {}
  static void operator delete(void*) {}  // The place is the step's.

  bool Ready() const override { return step_.Ready(); }
  hub::PerOutput<OutputRows> Wait() override {
    const absl::Status status = step_.Wait();
    if (!status.ok()) throw std::runtime_error(std::string(status.message()));
    return step_.View();
  }

 private:
  CudaStep& step_;
};

absl::StatusOr<std::unique_ptr<CudaStep>> CudaStep::Create(const Options& options) {
  std::unique_ptr<CudaStep> step(new CudaStep(options));
  ASSIGN_OR_RETURN(step->done_, cuda::Event::Create());
  ASSIGN_OR_RETURN(step->flag_, cuda::PinnedMemory::Allocate(sizeof(uint32_t), "a step's flag"));
  *step->flag_.as<uint32_t>() = 0;
  for (const hub::Output output : hub::kAllOutputs) {
    if (options.shapes[output].columns == 0) continue;
    ASSIGN_OR_RETURN(step->rows_[output],
                     cuda::PinnedMemory::Allocate(kRowBytesMin, "a step's rows"));
  }
  return step;
}

void CudaStep::Take() {
  CHECK(free());
  taken_.store(true, std::memory_order_relaxed);
}

absl::Status CudaStep::Load(const Batch& batch) {
  sequences_ = batch.sequences();
  tokens_ = batch.tokens();
  outputs_ = batch.outputs;
  published_ = false;
  for (const hub::Output output : hub::kAllOutputs) {
    if (!outputs_.Has(output)) continue;
    const int64_t bytes =
        RowCount(output) * options_.shapes[output].columns * int64_t{sizeof(float)};
    if (bytes <= rows_[output].bytes()) continue;
    const auto grown = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(bytes)));
    ASSIGN_OR_RETURN(rows_[output], cuda::PinnedMemory::Allocate(grown, "a step's rows"));
  }
  return absl::OkStatus();
}

kernels::StepHeader CudaStep::Header(const Batch& batch, bool publish) {
  published_ = publish;
  ++steps_;
  kernels::StepHeader header{.tokens = static_cast<int32_t>(batch.tokens()),
                             .sequences = static_cast<int32_t>(batch.sequences()),
                             .has_types = batch.type_ids.empty() ? 0 : 1,
                             .has_prompts = batch.prompt_lengths.empty() ? 0 : 1};
  if (!publish) return header;
  for (const hub::Output output : hub::kAllOutputs) {
    if (outputs_.Has(output)) header.rows = rows_[output].as<float>();
  }
  header.done = flag_.as<uint32_t>();
  header.done_value = steps_;
  return header;
}

absl::Status CudaStep::Finish(const cuda::Stream& stream, const hub::PerOutput<Tensor>& outputs) {
  for (const hub::Output output : hub::kAllOutputs) {
    if (published_ || !outputs_.Has(output)) continue;
    const Tensor rows = outputs[output].Rows(0, RowCount(output));
    RETURN_IF_CUDA_ERROR(
        cudaMemcpyAsync(rows_[output].data(), rows.data, static_cast<std::size_t>(rows.bytes()),
                        cudaMemcpyDeviceToHost, stream.get()),
        "copying a step's rows");
  }
  return cuda::ToStatus(done_.Record(stream), "a step's event");
}

std::unique_ptr<LazyTensor> CudaStep::Rows() {
  static_assert(sizeof(Lazy) <= sizeof lazy_place_);
  return std::unique_ptr<LazyTensor>(new (lazy_place_) Lazy(*this));
}

bool CudaStep::Ready() const {
  if (!fault_.ok()) return true;
  // What the device writes to pinned memory it writes in order; so does a reader that acquires.
  const std::atomic_ref<uint32_t> flag(*flag_.as<uint32_t>());
  if (published_ && flag.load(std::memory_order_acquire) == steps_) return true;
  return done_.Query() != cudaErrorNotReady;
}

absl::Status CudaStep::Wait() {
  RETURN_IF_ERROR(fault_);
  RETURN_IF_ERROR(cuda::UseDevice(options_.device));
  const std::atomic_ref<uint32_t> flag(*flag_.as<uint32_t>());
  const auto asleep =
      std::chrono::steady_clock::now() + std::chrono::microseconds(options_.spin_us);
  do {
    if (published_) {
      // Memory is polled often, the event, which costs a call and knows of faults, now and then.
      for (int i = 0; i < 64; ++i) {
        if (flag.load(std::memory_order_acquire) == steps_) return absl::OkStatus();
        common::Pause();
      }
    }
    const cudaError_t error = done_.Query();
    if (error != cudaErrorNotReady) return cuda::ToStatus(error, "a step on the GPU");
    common::Yield();
  } while (std::chrono::steady_clock::now() < asleep);
  return cuda::ToStatus(done_.Wait(), "a step on the GPU");
}

hub::PerOutput<OutputRows> CudaStep::View() const {
  hub::PerOutput<OutputRows> views;
  for (const hub::Output output : hub::kAllOutputs) {
    if (!outputs_.Has(output)) continue;
    const int64_t rows = RowCount(output), columns = options_.shapes[output].columns;
    views[output] = {
        .values = {rows_[output].as<float>(), static_cast<std::size_t>(rows * columns)},
        .rows = rows,
        .columns = columns};
  }
  return views;
}

}  // namespace rose
