// The GPU's part of failing_engine.cc, in builds with CUDA.

#include <cuda_runtime_api.h>

namespace {

__global__ void Store(int* place) { *place = 1; }

}  // namespace

/// Has the GPU store where nothing is: its context is lost, and each later call of CUDA in this
/// process is told so, as after a fault of the GPU or of a kernel.
void MisplaceStore() { Store<<<1, 1>>>(reinterpret_cast<int*>(8)); }
