#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

// The interface between Parterre and libparterre_fa4.so, FlashAttention 4 as a plug-in that users
// build themselves (scripts/build_fa4.sh). plugins/fa4/ has the other side. Both sides agree on
// kFa4PluginVersion, which every change of a meaning or a layout below raises.

namespace rose::kernels {

inline constexpr int32_t kFa4PluginVersion = 1;

/// How many queries a block of the kernel takes. The stock tiles (192 at head dim 64, 128 at 128)
/// are FlashAttention 4's own choice; 64 is the fastest for one sequence of 128 to 512 tokens.
enum class Fa4Tile : int32_t { kStock = 0, kRows64 = 1 };

/// What a kernel is compiled for.
struct Fa4Kind {
  int32_t head_dim = 0;
  int32_t heads = 0;     ///< Of the queries. Free, but the ratio to kv_heads is not.
  int32_t kv_heads = 0;  ///< Of keys and values.
  int32_t causal = 0;    ///< 1: a token sees those up to itself. 0: all of its sequence.
  Fa4Tile tile = Fa4Tile::kStock;
};

/// One call, in bfloat16. Pointers are multiples of 16 bytes, strides of 8 elements.
///
/// A block finds its sequence by reading cu_seqlens on the device, so a captured graph serves any
/// lengths; but its grid is that of `tokens` and `sequences` as captured, and every slot of an
/// empty sequence costs: 64 slots 5 to 10 µs over one, 256 slots 50 to 90. Capture for no more
/// sequences than needed.
///
/// Keys and values of up to 127 rows behind a sequence are read and weighed with zero: they have to
/// be finite, padding included. Rows of `o` behind the last sequence are left unwritten.
struct Fa4Attention {
  Fa4Kind kind = {};
  int32_t tokens = 0;       ///< Rows of q, k, v and o, padding included.
  int32_t sequences = 0;    ///< Any of them may be empty.
  float scale = 0;          ///< Of the scores, before softmax.
  const void* q = nullptr;  ///< [tokens × heads × head_dim]
  const void* k = nullptr;  ///< [tokens × kv_heads × head_dim], as v.
  const void* v = nullptr;
  void* o = nullptr;       ///< [tokens × heads × head_dim]
  int64_t qkv_stride = 0;  ///< Elements from a row of q, k or v to the next.
  int64_t o_stride = 0;
  const int32_t* cu_seqlens = nullptr;  ///< Device memory, [sequences + 1].
  cudaStream_t stream = nullptr;
};

extern "C" {

/// kFa4PluginVersion of the header that the plug-in was built with. Call nothing else if it
/// differs.
int32_t parterre_fa4_version();

/// 1 if the plug-in holds a kernel of that kind; all are for compute capability 9.0. Else 0.
int32_t parterre_fa4_supports(const Fa4Kind* kind);

/// Loads all kernels on a device, before the first call there. Needs a driver. May be called from
/// any thread, and again: a kernel's library is loaded once for all devices. Tens of milliseconds
/// at most.
cudaError_t parterre_fa4_load(int32_t device);

/// Queues one kernel; neither allocates nor waits, and may be captured. cudaErrorNotSupported if
/// there is no kernel of that kind, cudaErrorInvalidValue if a pointer or stride is not aligned.
cudaError_t parterre_fa4_attention(const Fa4Attention* attention);

}  // extern "C"

}  // namespace rose::kernels
