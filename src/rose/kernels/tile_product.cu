#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/tile_product.h"
#include "rose/kernels/tile_product_args.h"

namespace rose::kernels {
namespace {

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

/// The driver's, found without linking to it; null where it has none.
EncodeTiled FindEncodeTiled() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  constexpr unsigned kCuda12 = 12000;
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                             kCuda12, cudaEnableDefault, &found);
  if (error != cudaSuccess || found != cudaDriverEntryPointSuccess) return nullptr;
  return reinterpret_cast<EncodeTiled>(function);
}

/// A map of `matrix` in boxes of kTileStageColumns columns and `box_rows` rows.
cudaError_t MapBoxes(Tensor matrix, int box_rows, CUtensorMap& map) {
  static const EncodeTiled encode = FindEncodeTiled();
  if (encode == nullptr) return cudaErrorNotSupported;
  const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(matrix.cols),
                               static_cast<cuuint64_t>(matrix.rows)};
  const cuuint64_t row_bytes[1] = {sizes[0] * sizeof(__nv_bfloat16)};
  const cuuint32_t box[2] = {kTileStageColumns, static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[2] = {1, 1};
  const CUresult result =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix.data, sizes, row_bytes, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

/// How many of a kernel's clusters the device runs at a time.
cudaError_t CountClusters(const TileProductEntry& entry, unsigned blocks_of_cluster,
                          int& clusters) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = blocks_of_cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks_of_cluster;
  config.blockDim = kTileThreads;
  config.dynamicSmemBytes = static_cast<std::size_t>(entry.shared_bytes);
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaOccupancyMaxActiveClusters(&clusters, entry.kernel, &config);
}

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool Complete(const TileProductShape& shape, Tensor x, Tensor weight,
              const TileProductEpilogue& epilogue, Tensor out) {
  return FitsTileProduct(shape) && weight.cols == x.cols && out.rows == x.rows &&
         x.dtype == DType::kBFloat16 && weight.dtype == DType::kBFloat16 &&
         out.dtype == DType::kBFloat16 &&
         out.cols * (shape.form == TileProductForm::kGate ? 2 : 1) == weight.rows &&
         (epilogue.bias.data == nullptr || epilogue.bias.dtype == DType::kBFloat16);
}

}  // namespace

cudaError_t TileProduct(const Launch& launch, const TileProductPlan& plan, Tensor x, Tensor weight,
                        const TileProductEpilogue& epilogue, Tensor out) {
  if (x.rows == 0) return cudaSuccess;
  const TileProductShape shape = {.form = epilogue.form,
                                  .activation = epilogue.activation,
                                  .tokens = x.rows,
                                  .out_features = weight.rows,
                                  .in_features = x.cols};
  const TileProductEntry entry = FindTileProduct(shape.form, shape.activation, plan);
  if (entry.kernel == nullptr || !Complete(shape, x, weight, epilogue, out)) {
    return cudaErrorInvalidValue;
  }
  const auto blocks = static_cast<unsigned>(ClusterBlocks(plan));
  int clusters = 0;
  TileProductArgs args;
  cudaError_t error = cudaFuncSetAttribute(
      entry.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, entry.shared_bytes);
  if (error == cudaSuccess) error = CountClusters(entry, blocks, clusters);
  if (error == cudaSuccess) error = MapBoxes(x, kTileRows, args.x);
  if (error == cudaSuccess) error = MapBoxes(weight, plan.cols / 2, args.weight);
  if (error != cudaSuccess) return error;
  args.bias = static_cast<const __nv_bfloat16*>(epilogue.bias.data);
  args.out = static_cast<__nv_bfloat16*>(out.data);
  args.rows_used = launch.rows_used;
  args.rows = static_cast<int>(x.rows);
  args.out_features = static_cast<int>(weight.rows);
  args.stages = static_cast<int>(DivideUp(x.cols, kTileStageColumns));
  // A tile of a gate has as many of its columns again of the other half.
  const int64_t tiles =
      DivideUp(x.rows, int64_t{kTileRows} * blocks) * DivideUp(weight.rows, plan.cols);
  const auto used = static_cast<unsigned>(std::min<int64_t>(clusters, tiles));
  return LaunchClusters(launch, entry.kernel, blocks, used * blocks, kTileThreads,
                        static_cast<std::size_t>(entry.shared_bytes), args);
}

}  // namespace rose::kernels
