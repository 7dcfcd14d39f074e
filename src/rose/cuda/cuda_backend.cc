#include "rose/cuda/cuda_backend.h"

#include <algorithm>
#include <utility>

#include "common/check.h"
#include "rose/cuda/status.h"

namespace rose::cuda {
namespace {

constexpr int64_t kStagingBytes = int64_t{8} << 20;
constexpr std::size_t kStagings = 2;
/// Vectors share a block; a matrix that is larger has its own.
constexpr int64_t kBlockBytes = int64_t{2} << 20;
/// What cuBLASLt takes for granted.
constexpr int64_t kAlignment = 256;

}  // namespace

absl::StatusOr<std::unique_ptr<CudaBackend>> CudaBackend::Create(DType dtype) {
  CHECK(dtype == DType::kFloat32 || dtype == DType::kBFloat16) << DTypeName(dtype);
  std::unique_ptr<CudaBackend> backend(new CudaBackend(dtype));
  ASSIGN_OR_RETURN(backend->stream_, Stream::Create());
  for (std::size_t i = 0; i < kStagings; ++i) {
    Staging& staging = backend->staging_.emplace_back();
    ASSIGN_OR_RETURN(staging.memory, PinnedMemory::Allocate(kStagingBytes, "loading weights"));
    ASSIGN_OR_RETURN(staging.copied, Event::Create());
  }
  return backend;
}

absl::StatusOr<void*> CudaBackend::Allocate(int64_t bytes) {
  const int64_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  memory_bytes_ += padded;
  if (padded > kBlockBytes / 2) {
    ASSIGN_OR_RETURN(DeviceMemory own, DeviceMemory::Allocate(padded, "weights"));
    return blocks_.insert(blocks_.begin(), std::move(own))->data();
  }
  if (padded > free_bytes_) {
    ASSIGN_OR_RETURN(DeviceMemory block, DeviceMemory::Allocate(kBlockBytes, "weights"));
    free_ = block.data();
    free_bytes_ = block.bytes();
    blocks_.push_back(std::move(block));
  }
  void* const taken = free_;
  free_ += padded;
  free_bytes_ -= padded;
  return taken;
}

absl::StatusOr<Tensor> CudaBackend::Upload(const RowSource& rows, DType dtype) {
  Tensor tensor{.dtype = dtype, .rows = rows.rows(), .cols = rows.cols()};
  ASSIGN_OR_RETURN(tensor.data, Allocate(tensor.bytes()));
  const int64_t row_bytes = tensor.cols * static_cast<int64_t>(SizeOf(dtype));
  const int64_t block_rows = std::max<int64_t>(kStagingBytes / std::max<int64_t>(row_bytes, 1), 1);
  for (int64_t first = 0; first < tensor.rows; first += block_rows) {
    const int64_t count = std::min(block_rows, tensor.rows - first);
    Staging& staging = staging_[next_staging_++ % staging_.size()];
    RETURN_IF_CUDA_ERROR(staging.copied.Wait(), "copying weights");
    if (count * row_bytes > staging.memory.bytes()) {
      ASSIGN_OR_RETURN(staging.memory, PinnedMemory::Allocate(count * row_bytes, "a wide weight"));
    }
    rows.Read(first, count, dtype, staging.memory.data());
    RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(tensor.Rows(first, count).data, staging.memory.data(),
                                         static_cast<std::size_t>(count * row_bytes),
                                         cudaMemcpyHostToDevice, stream_.get()),
                         "copying weights");
    RETURN_IF_CUDA_ERROR(staging.copied.Record(stream_), "copying weights");
  }
  return tensor;
}

Tensor CudaBackend::MakeTable(const RowSource& rows, DType dtype) {
  CHECK(dtype == dtype_ || dtype == DType::kFloat32) << DTypeName(dtype);
  const Tensor none{.dtype = dtype, .rows = rows.rows(), .cols = rows.cols()};
  if (!status_.ok()) return none;
  absl::StatusOr<Tensor> table = Upload(rows, dtype);
  if (table.ok()) return *table;
  status_ = std::move(table).status();
  return none;
}

const LinearWeight* CudaBackend::MakeLinear(const RowSource& weight, std::span<const float> bias,
                                            DType dtype) {
  CudaLinear& linear = *linears_.emplace_back(std::make_unique<CudaLinear>());
  linear.in_features = weight.cols();
  linear.out_features = weight.rows();
  linear.dtype = dtype;
  linear.weight = MakeTable(weight, dtype);
  if (!bias.empty()) linear.bias = MakeTable(MemoryRows(bias, 1, std::ssize(bias)), dtype);
  return &linear;
}

absl::Status CudaBackend::Finish() {
  RETURN_IF_ERROR(status_);
  RETURN_IF_ERROR(stream_.Wait());
  staging_.clear();
  return absl::OkStatus();
}

}  // namespace rose::cuda
