#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/status.h"
#include "rose/core/tensor.h"
#include "rose/cuda/cublaslt_library.h"
#include "rose/cuda/cuda_linear.h"
#include "rose/cuda/memory.h"
#include "rose/cuda/product_choices.h"
#include "rose/cuda/product_shape.h"
#include "rose/cuda/stream.h"

namespace rose::cuda {

/// x Wᵀ by cuBLASLt on one stream, float32 accumulation. The kernel for a shape is picked when the
/// shape is first seen and kept: the library's favourite, unless measured choices name another. One
/// thread.
class LibraryProducts {
 public:
  /// `library` outlives it.
  static absl::StatusOr<std::unique_ptr<LibraryProducts>> Create(const CublasLtLibrary& library,
                                                                 ProductChoices choices);

  /// out = x Wᵀ + terms; all of weight.dtype. False if the library has no kernel for the shape:
  /// nothing was queued.
  absl::StatusOr<bool> Run(const Stream& stream, const CudaLinear& weight, Tensor x,
                           ProductTerms terms, Tensor out);

  // For measuring choices.

  /// Those seen since the last call, each once.
  std::vector<ProductShape> TakeSeen() { return std::exchange(seen_, {}); }
  /// How many kernels the library offers for a shape that was seen.
  int Candidates(const ProductShape& shape) const;
  /// From now on this shape runs with this one of them.
  void Use(const ProductShape& shape, int candidate);

 private:
  struct Descriptors;
  /// What the library offers, its favourite first, and the one that is used.
  struct Kernels {
    std::vector<cublasLtMatmulAlgo_t> offered;
    cublasLtMatmulAlgo_t used;
  };

  LibraryProducts(const CublasLtLibrary& library, DeviceMemory workspace, ProductChoices choices);
  absl::StatusOr<Kernels> Pick(const ProductShape& shape, Descriptors& descriptors);
  absl::StatusOr<std::vector<cublasLtMatmulAlgo_t>> Offered(const ProductShape& shape,
                                                            Descriptors& descriptors) const;
  /// Whether a kernel that was picked for other rows can do these.
  bool Fits(const cublasLtMatmulAlgo_t& kernel, Descriptors& descriptors) const;

  const CublasLtLibrary& library_;
  DeviceMemory workspace_;
  ProductChoices choices_;
  std::unordered_map<ProductShape, Kernels, ProductShapeHash> kernels_;
  std::vector<ProductShape> seen_;
};

}  // namespace rose::cuda
