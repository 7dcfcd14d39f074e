#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/status.h"
#include "rose/core/backend.h"
#include "rose/cuda/cuda_linear.h"
#include "rose/cuda/memory.h"
#include "rose/cuda/stream.h"

namespace rose::cuda {

/// A model's weights in the memory of one GPU. Matrices travel through two pinned blocks in turn:
/// one is filled while the other is copied. The first failure (too little memory, as a rule)
/// sticks: what is made after it has no memory, and whoever loads asks status().
class CudaBackend final : public Backend {
 public:
  static absl::StatusOr<std::unique_ptr<CudaBackend>> Create(DType dtype);

  using Backend::MakeLinear;
  using Backend::MakeTable;
  DType dtype() const override { return dtype_; }
  Tensor MakeTable(const RowSource& rows, DType dtype) override;
  const LinearWeight* MakeLinear(const RowSource& weight, std::span<const float> bias,
                                 DType dtype) override;
  int64_t memory_bytes() const override { return memory_bytes_; }

  /// What failed first, after waiting for the copies under way.
  absl::Status Finish();

 private:
  /// A pinned block and the copy from it that may be under way.
  struct Staging {
    PinnedMemory memory;
    Event copied;
  };

  explicit CudaBackend(DType dtype) : dtype_(dtype) {}
  absl::StatusOr<Tensor> Upload(const RowSource& rows, DType dtype);
  absl::StatusOr<void*> Allocate(int64_t bytes);

  DType dtype_;
  int64_t memory_bytes_ = 0;
  Stream stream_;
  std::vector<Staging> staging_;
  std::size_t next_staging_ = 0;
  std::vector<DeviceMemory> blocks_;
  std::byte* free_ = nullptr;  ///< Of the last block: what is left of it.
  int64_t free_bytes_ = 0;
  std::vector<std::unique_ptr<CudaLinear>> linears_;
  absl::Status status_;
};

}  // namespace rose::cuda
