#pragma once

#include <cuda_runtime_api.h>

namespace rose::kernels {

/// Launches an empty kernel on `stream` and waits for it: tells before any weight is loaded whether
/// this program holds machine code for the device that is current. cudaErrorNoKernelImageForDevice
/// if it does not, cudaErrorNoDevice or cudaErrorInsufficientDriver without a usable GPU.
cudaError_t Probe(cudaStream_t stream);

}  // namespace rose::kernels
