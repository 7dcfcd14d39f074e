#pragma once

#include <cstdint>

// Products of a warpgroup on Hopper's tensor cores, asynchronous: of bfloat16 into float32, A from
// registers and B from shared memory (PTX ISA, "wgmma").
//
// In an accumulator of N columns, element 4j + 2h + e of lane l of warp w is row 16w + l / 4 + 8h
// and column 8j + 2 (l % 4) + e. Of A, a0 … a3 hold columns 2 (l % 4) + {0, 1} of rows l / 4 and l
// / 4 + 8, then columns 2 (l % 4) + {8, 9} of both.

namespace rose::kernels {

/// Names N rows of 64 columns in shared memory from `address` on, a multiple of 1024, in swizzles
/// of 128 bytes: chunk c of 16 bytes of row r lies at place c ^ (r % 8) of that row.
__device__ __forceinline__ uint64_t SwizzledMatrix(uint32_t address) {
  constexpr uint64_t kLeadingOffset = 1;         // Unused in this layout.
  constexpr uint64_t kStrideOffset = 1024 / 16;  // From eight rows to the next eight.
  constexpr uint64_t kSwizzle128 = 1;
  return uint64_t{(address & 0x3ffff) >> 4} | kLeadingOffset << 16 | kStrideOffset << 32 |
         kSwizzle128 << 62;
}

/// Before the first product and wherever registers that products read or write were written.
__device__ __forceinline__ void FenceProducts() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
/// Ends a group of products.
__device__ __forceinline__ void CommitProducts() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Until all groups but the latest kGroups have ended.
template <int kGroups>
__device__ __forceinline__ void WaitProducts() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kGroups) : "memory");
}

/// D += A B: 64 rows, kColumns columns, 16 summands.
template <int kColumns>
struct Wgmma;

template <>
struct Wgmma<32> {
  static __device__ __forceinline__ void Accumulate(float (&d)[16], uint32_t a0, uint32_t a1,
                                                    uint32_t a2, uint32_t a3, uint64_t b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
        "{%16, %17, %18, %19}, %20, 1, 1, 1, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b));
  }
};

template <>
struct Wgmma<64> {
  static __device__ __forceinline__ void Accumulate(float (&d)[32], uint32_t a0, uint32_t a1,
                                                    uint32_t a2, uint32_t a3, uint64_t b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b));
  }
};

}  // namespace rose::kernels
