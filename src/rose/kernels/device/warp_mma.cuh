#pragma once

#include <cuda_bf16.h>

#include <cstdint>
#include <cstring>

// Products of a warp on the tensor cores, of bfloat16 into float32, and the asynchronous copies
// that feed them (PTX ISA, "mma.m16n8k16", "ldmatrix" and "cp.async"; since compute
// capability 8.0).
//
// Of an accumulator, element 2h + e of lane l is row l / 4 + 8h and column 2 (l % 4) + e. Of A,
// word h + 2c holds columns 2 (l % 4) + {0, 1} + 8c of row l / 4 + 8h; of B, word c holds rows 2 (l
// % 4)
// + {0, 1} + 8c of column l / 4.

namespace rose::kernels {

/// Four 8 × 8 matrices: matrix m comes from the 16-byte rows that lanes 8m … 8m + 7 point to. Word
/// m of lane l then holds elements 2 (l % 4) + {0, 1} of row l / 4.
__device__ __forceinline__ void LoadMatrices(const __nv_bfloat16* row, uint32_t (&words)[4]) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}

/// The same, each matrix transposed.
__device__ __forceinline__ void LoadTransposed(const __nv_bfloat16* row, uint32_t (&words)[4]) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}

/// D += A B: 16 rows, 8 columns, 16 summands.
__device__ __forceinline__ void MultiplyAdd(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                            uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Two numbers rounded to bfloat16, the first in the lower half.
__device__ __forceinline__ uint32_t Pack(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  uint32_t word;
  memcpy(&word, &pair, sizeof word);
  return word;
}

/// Begins to copy 16 bytes of global to shared memory; where not `read`, `from` is left alone and
/// zeros are written.
__device__ __forceinline__ void CopyOrZero(void* to, const void* from, bool read) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
               "r"(read ? 16 : 0)
               : "memory");
}
/// Ends a group of copies, which may be empty.
__device__ __forceinline__ void CommitCopies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Until all of this thread's groups but the latest kGroups have ended. Others see them behind a
/// barrier.
template <int kGroups>
__device__ __forceinline__ void WaitForCopies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

/// 2^x to within two units in the last place; 0 for −∞.
__device__ __forceinline__ float Exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace rose::kernels
