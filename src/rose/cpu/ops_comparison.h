#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "rose/core/ops.h"
#include "rose/cpu/isa.h"
#include "rose/cpu/kernels.h"

namespace rose::cpu {

// What the tests of this folder share: the same values on two backends, and a comparison.

/// One way of running the operations.
struct Setup {
  Isa isa = Isa::kAvx2;
  DType dtype = DType::kFloat32;
  int workers = 1;  ///< More than 1: a team.
  /// The kernels' bodies on plain loops with the vector and tile sizes of `isa`: runs anywhere.
  bool plain = false;
};
/// The kernels for activations of these types: every vector type, alone and as a team, and their
/// bodies on plain loops.
std::vector<Setup> KernelSetups(const std::vector<DType>& dtypes);
/// The same of the kernels for pairs of bfloat16.
std::vector<Setup> PairSetups();
/// All combinations, alone and as a team.
std::vector<Setup> Setups(const std::vector<Isa>& isas, const std::vector<DType>& dtypes);
std::string Describe(const Setup& setup);
const Kernels& KernelsOf(const Setup& setup);
/// Why this processor cannot run `setup`, or "".
std::string ReasonToSkip(const Setup& setup);

/// `n` values in −scale … scale, the same for the same seed.
std::vector<float> Values(int64_t n, uint32_t seed, float scale = 1);

/// A tensor with room of its own and guards around it. A copy has its own room.
class Guarded {
 public:
  Guarded(DType dtype, int64_t rows, int64_t cols);
  Guarded(DType dtype, int64_t rows, int64_t cols, const std::vector<float>& values);

  Tensor tensor() const;
  std::vector<float> floats() const;
  /// Whether nothing was written outside the tensor.
  bool intact() const;

 private:
  Tensor shape_;  ///< Its data is null.
  mutable std::vector<std::byte> memory_;
};

/// Runs `body` with the CpuOps of `setup`, on its worker or at the head of its team. Workspaces are
/// for heads of `head_dim`.
void RunCpuOps(const Setup& setup, int64_t head_dim, absl::FunctionRef<void(Ops&)> body);

/// Fails the test where a value is further from its expected one than the setup's dtype and a sum
/// of `terms` terms explain.
void ExpectNear(const Guarded& actual, const std::vector<float>& expected, double terms);

}  // namespace rose::cpu
