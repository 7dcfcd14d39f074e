#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "common/status.h"
#include "rose/core/tensor.h"
#include "rose/cuda/cublaslt_library.h"
#include "rose/cuda/cuda_linear.h"
#include "rose/cuda/memory.h"
#include "rose/cuda/stream.h"

namespace rose::cuda {

/// What is added to a product before it is rounded.
struct ProductTerms {
  bool bias = false;      ///< The weight's own.
  bool previous = false;  ///< What stands in `out`.

  friend bool operator==(const ProductTerms& a, const ProductTerms& b) = default;
};

/// x Wᵀ by cuBLASLt on one stream, float32 accumulation. The kernel for a shape is picked when the
/// shape is first seen and kept. One thread.
class LibraryProducts {
 public:
  /// `library` outlives it.
  static absl::StatusOr<std::unique_ptr<LibraryProducts>> Create(const CublasLtLibrary& library);

  /// out = x Wᵀ + terms; all of weight.dtype. False if the library has no kernel for the shape:
  /// nothing was queued.
  absl::StatusOr<bool> Run(const Stream& stream, const CudaLinear& weight, Tensor x,
                           ProductTerms terms, Tensor out);

 private:
  struct Shape {
    int64_t rows = 0;
    int64_t out_features = 0;
    int64_t in_features = 0;
    DType dtype = DType::kFloat32;
    ProductTerms terms;
    uint32_t alignment = 0;  ///< Of every pointer, in bytes.

    friend bool operator==(const Shape& a, const Shape& b) = default;
  };
  struct ShapeHash {
    std::size_t operator()(const Shape& shape) const;
  };
  struct Descriptors;
  using Algorithm = std::optional<cublasLtMatmulAlgo_t>;

  LibraryProducts(const CublasLtLibrary& library, DeviceMemory workspace);
  absl::StatusOr<Algorithm> Pick(const Shape& shape, Descriptors& descriptors);

  const CublasLtLibrary& library_;
  DeviceMemory workspace_;
  std::unordered_map<Shape, Algorithm, ShapeHash> algorithms_;
};

}  // namespace rose::cuda
