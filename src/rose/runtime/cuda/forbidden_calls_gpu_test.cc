#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "rose/runtime/cuda/forbidden_calls.h"

namespace rose {

std::atomic<int64_t> forbidden_calls = 0;

namespace {

void* Allocate(std::size_t bytes, std::size_t alignment) {
  ++forbidden_calls;
  const std::size_t padded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, padded == 0 ? alignment : padded);
  if (memory == nullptr) std::abort();
  return memory;
}

TEST(ForbiddenCalls, AreCounted) {
  const int64_t before = forbidden_calls;
  const auto owned = std::make_unique<int>(1);
  EXPECT_EQ(forbidden_calls, before + 1) << *owned;
  cudaDeviceSynchronize();  // Counted whether or not there is a device.
  cudaFree(nullptr);
  EXPECT_EQ(forbidden_calls, before + 3);
}

}  // namespace
}  // namespace rose

void* operator new(std::size_t bytes) {
  return rose::Allocate(bytes, std::size_t{__STDCPP_DEFAULT_NEW_ALIGNMENT__});
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return rose::Allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" {

// __real_NAME is the runtime's own.
cudaError_t __real_cudaMalloc(void** memory, std::size_t bytes);
cudaError_t __real_cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream);
cudaError_t __real_cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
cudaError_t __real_cudaFree(void* memory);
cudaError_t __real_cudaFreeHost(void* memory);
cudaError_t __real_cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t __real_cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph,
                                        unsigned long long flags);  // NOLINT(google-runtime-int)
cudaError_t __real_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __real_cudaEventSynchronize(cudaEvent_t event);
cudaError_t __real_cudaDeviceSynchronize();

cudaError_t __wrap_cudaMalloc(void** memory, std::size_t bytes) {
  ++rose::forbidden_calls;
  return __real_cudaMalloc(memory, bytes);
}
cudaError_t __wrap_cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  ++rose::forbidden_calls;
  return __real_cudaMallocAsync(memory, bytes, stream);
}
cudaError_t __wrap_cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  ++rose::forbidden_calls;
  return __real_cudaHostAlloc(memory, bytes, flags);
}
cudaError_t __wrap_cudaFree(void* memory) {
  ++rose::forbidden_calls;
  return __real_cudaFree(memory);
}
cudaError_t __wrap_cudaFreeHost(void* memory) {
  ++rose::forbidden_calls;
  return __real_cudaFreeHost(memory);
}
cudaError_t __wrap_cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  ++rose::forbidden_calls;
  return __real_cudaMemcpy(to, from, bytes, kind);
}
cudaError_t __wrap_cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph,
                                        unsigned long long flags) {  // NOLINT(google-runtime-int)
  ++rose::forbidden_calls;
  return __real_cudaGraphInstantiate(made, graph, flags);
}
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
  ++rose::forbidden_calls;
  return __real_cudaStreamSynchronize(stream);
}
cudaError_t __wrap_cudaEventSynchronize(cudaEvent_t event) {
  ++rose::forbidden_calls;
  return __real_cudaEventSynchronize(event);
}
cudaError_t __wrap_cudaDeviceSynchronize() {
  ++rose::forbidden_calls;
  return __real_cudaDeviceSynchronize();
}

}  // extern "C"
