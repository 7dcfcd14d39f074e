#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <nv/target>
#include <utility>

#include "rose/kernels/launch.h"

namespace rose::kernels {

/// Queues `kernel` as `launch` says, `cluster` blocks along x as one cluster. Arguments convert as
/// in a call. Without blocks nothing is queued. Above 48 KiB of dynamic shared memory the kernel
/// must have been allowed it.
template <typename... Params, typename... Args>
cudaError_t LaunchClusters(const Launch& launch, void (*kernel)(Params...), unsigned cluster,
                           dim3 blocks, dim3 threads, std::size_t shared_bytes, Args&&... args) {
  if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0) return cudaSuccess;
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (launch.overlap) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim.x = cluster;
    attributes[count].val.clusterDim.y = 1;
    attributes[count++].val.clusterDim.z = 1;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = launch.stream;
  config.attrs = attributes;
  config.numAttrs = count;
  return cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...);
}

/// The same without clusters.
template <typename... Params, typename... Args>
cudaError_t LaunchKernel(const Launch& launch, void (*kernel)(Params...), dim3 blocks, dim3 threads,
                         std::size_t shared_bytes, Args&&... args) {
  return LaunchClusters(launch, kernel, /*cluster=*/1, blocks, threads, shared_bytes,
                        std::forward<Args>(args)...);
}

// Before compute capability 9.0 kernels do not overlap, and these are empty.

/// Returns once the kernels before this one have ended and what they wrote can be seen. What they
/// write must not be read through const __restrict__ or __ldg: such loads may move in front of it.
__device__ __forceinline__ void WaitForPredecessor() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.wait;" ::: "memory");))
}

/// Lets the next kernel start once every block of this one has said so or ended. It waits itself
/// for what this one writes, so early is right: its blocks take the room that is left.
__device__ __forceinline__ void TriggerSuccessor() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.launch_dependents;" ::: "memory");))
}

}  // namespace rose::kernels
