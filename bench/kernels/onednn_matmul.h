#pragma once

#include <cstdint>
#include <memory>

#include "common/status.h"
#include "rose/core/dtype.h"
#include "rose/cpu/isa.h"

namespace bench {

/// oneDNN's own product x[rows × k] W[k × n], W in the layout that it asks for: what ours are held
/// against. The numbers are all ones. One thread at a time.
class OneDnnMatmul {
 public:
  /// Caps oneDNN's instruction set, for the whole process and before its first use, and tries
  /// whether it multiplies `dtype`. An error says what oneDNN answered.
  static absl::Status Cap(rose::cpu::Isa isa, rose::DType dtype);
  /// In one call, or, where n is cut into `parts`, a divisor of it, in a call for each part of the
  /// columns. Cap has said that `dtype` is fine.
  static std::unique_ptr<OneDnnMatmul> Create(rose::DType dtype, int64_t rows, int64_t k, int64_t n,
                                              int64_t parts = 1);
  virtual ~OneDnnMatmul() = default;
  /// On as many threads as OpenMP has for the calling one.
  virtual void Run() = 0;
  virtual double flops() const = 0;
};

}  // namespace bench
