// libparterre_fa4.so: the kernels that scripts/export_fa4.py makes of FlashAttention 4, behind the
// interface of rose/kernels/fa4_plugin.h.
#include "rose/kernels/fa4_plugin.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <mutex>

#include "fa4_exports.h"

namespace rose::kernels {
namespace {

/// What the exported objects call: pointers to arguments, the last of them to the result.
using Entry = void (*)(void**);

struct Kernel {
  int32_t head_dim;
  int32_t queries_per_key;  ///< Heads of queries that share one of keys and values.
  int32_t causal;
  Fa4Tile tile;
  cudaError_t (*load)(int32_t device);
  int32_t (*run)(const Fa4Attention& attention);
};

/// As the load function of the exported header, but for one device and with the errors returned.
/// That one makes a context on every device and prints them.
template <Entry init, Entry load_to_device>
cudaError_t Load(int32_t device) {
  static cudaLibrary_t library = nullptr;
  cudaLibrary_t* const library_at = &library;
  cudaError_t error = cudaSuccess;
  if (library == nullptr) {
    const struct {
      cudaLibrary_t* const* library;
      cudaError_t* error;
    } arguments = {&library_at, &error};
    init((void**)&arguments);
    if (error != cudaSuccess) return error;
  }
  const struct {
    cudaLibrary_t* const* library;
    int32_t* device;
    cudaError_t* error;
  } arguments = {&library_at, &device, &error};
  load_to_device((void**)&arguments);
  return error;
}

template <typename Rows>
Rows View(const void* data, int32_t tokens, int32_t heads, int64_t stride) {
  return {.data = const_cast<void*>(data),
          .dynamic_shapes = {tokens, heads},
          .dynamic_strides = {stride}};
}

template <auto wrapper>
struct Call;

/// The exported header has types of its own for each kernel, all alike.
template <typename Module, typename Q, typename K, typename V, typename O, typename CuSeqlens,
          int32_t (*wrapper)(Module*, Q*, K*, V*, O*, CuSeqlens*, float, cudaStream_t)>
struct Call<wrapper> {
  static int32_t Run(const Fa4Attention& a) {
    const auto& [head_dim, heads, kv_heads, causal, tile] = a.kind;
    Module loaded = {};  // Where the kernel is, its object remembers.
    Q q = View<Q>(a.q, a.tokens, heads, a.qkv_stride);
    K k = View<K>(a.k, a.tokens, kv_heads, a.qkv_stride);
    V v = View<V>(a.v, a.tokens, kv_heads, a.qkv_stride);
    O o = View<O>(a.o, a.tokens, heads, a.o_stride);
    CuSeqlens cu_seqlens = {.data = const_cast<int32_t*>(a.cu_seqlens),
                            .dynamic_shapes = {a.sequences + 1}};
    return wrapper(&loaded, &q, &k, &v, &o, &cu_seqlens, a.scale, a.stream);
  }
};

constexpr Kernel kKernels[] = {
#include "fa4_kernels.inc"
};

const Kernel* Find(const Fa4Kind& kind) {
  const auto serves = [&](const Kernel& kernel) {
    return kernel.head_dim == kind.head_dim && kernel.causal == kind.causal &&
           kernel.tile == kind.tile && kind.kv_heads > 0 &&
           kernel.queries_per_key * kind.kv_heads == kind.heads;
  };
  const Kernel* const found = std::find_if(std::begin(kKernels), std::end(kKernels), serves);
  return found == std::end(kKernels) ? nullptr : found;
}

/// Bulk copies of the GPU need rows at multiples of 16 bytes.
bool IsAligned(const Fa4Attention& a) {
  constexpr uint64_t kBytes = 16, kElements = kBytes / 2;
  const auto of = [](const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); };
  return (of(a.q) | of(a.k) | of(a.v) | of(a.o)) % kBytes == 0 &&
         static_cast<uint64_t>(a.qkv_stride | a.o_stride) % kElements == 0;
}

}  // namespace

extern "C" {

int32_t parterre_fa4_version() { return kFa4PluginVersion; }

int32_t parterre_fa4_supports(const Fa4Kind* kind) { return Find(*kind) != nullptr ? 1 : 0; }

cudaError_t parterre_fa4_load(int32_t device) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  int devices = 0;  // Without a driver, the exported objects end the process.
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) return error;
  for (const Kernel& kernel : kKernels) {
    if (const cudaError_t error = kernel.load(device); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t parterre_fa4_attention(const Fa4Attention* attention) {
  const Kernel* const kernel = Find(attention->kind);
  if (kernel == nullptr) return cudaErrorNotSupported;
  if (!IsAligned(*attention)) return cudaErrorInvalidValue;
  if (attention->tokens == 0 || attention->sequences == 0) return cudaSuccess;
  return static_cast<cudaError_t>(kernel->run(*attention));
}

}  // extern "C"

}  // namespace rose::kernels
