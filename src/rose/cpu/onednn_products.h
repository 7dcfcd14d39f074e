#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

#include "common/status.h"
#include "rose/core/dtype.h"
#include "rose/core/row_source.h"
#include "rose/cpu/isa.h"
#include "rose/cpu/memory.h"

namespace rose::cpu {

/// out[rows × n] = x[rows × k] B[k × n] + bias by oneDNN, for the numbers of rows in kRows. Shared
/// by all layers of one shape. Immutable; any number of threads may Run.
class OneDnnProduct {
 public:
  /// Primitives exist for these numbers of rows; others are put together from them.
  static constexpr int64_t kRows[] = {128, 64, 32, 16, 8, 4, 2, 1};

  virtual ~OneDnnProduct() = default;
  /// Rows row … row + n − 1 of `weight` [… × k], in the layout that Run wants.
  virtual Memory Pack(const RowSource& weight, int64_t row) const = 0;
  /// `x` rows lie k elements apart, `out` rows n: into a wider matrix oneDNN would fall back from
  /// its AVX-512 and AMX kernels to ones ten times slower. `workspace`: workspace_bytes(), the
  /// caller's for the call.
  virtual void Run(std::size_t rows_index, const void* x, const Memory& packed, const float* bias,
                   void* out, std::byte* workspace) const = 0;
  virtual int64_t workspace_bytes() const = 0;
};

/// Makes each shape's primitives once. The calling threads have one OpenMP thread each
/// (WorkerPool): a team would spin beside other work.
class OneDnnProducts {
 public:
  /// A shape that oneDNN refuses is a CHECK: ask CheckOneDnn first.
  const OneDnnProduct& Get(DType dtype, int64_t k, int64_t n);

 private:
  std::map<std::tuple<DType, int64_t, int64_t>, std::unique_ptr<OneDnnProduct>> products_;
};

/// Caps oneDNN's instruction set, for the whole process and before its first use, and tries
/// whether it multiplies `dtype`. An error says what oneDNN answered.
absl::Status CheckOneDnn(Isa isa, DType dtype);

}  // namespace rose::cpu
