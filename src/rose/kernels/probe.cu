#include "rose/kernels/probe.h"

namespace rose::kernels {
namespace {

__global__ void ProbeKernel() {}

}  // namespace

cudaError_t Probe(cudaStream_t stream) {
  ProbeKernel<<<1, 1, 0, stream>>>();
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  return cudaStreamSynchronize(stream);
}

}  // namespace rose::kernels
