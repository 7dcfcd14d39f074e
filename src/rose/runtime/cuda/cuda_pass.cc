#include "rose/runtime/cuda/cuda_pass.h"

#include <utility>

#include "rose/core/arena.h"
#include "rose/cuda/cuda_ops.h"
#include "rose/cuda/status.h"

namespace rose {
namespace {

/// Measured on an H200: written by a kernel, 4 KiB are with the host 2.4 µs sooner than copied,
/// 256 KiB 4 µs later.
constexpr int64_t kPublishedBytesMax = 64 << 10;
/// Every byte of it: a NaN in each dtype.
constexpr int kPoison = 0xFF;

}  // namespace

absl::StatusOr<std::unique_ptr<CudaPass>> CudaPass::Create(const Model& model,
                                                           const Options& options) {
  std::unique_ptr<CudaPass> pass(new CudaPass(model, options));
  const auto [tokens, sequences] = options.limits;
  ASSIGN_OR_RETURN(pass->stream_, cuda::Stream::Create());
  ASSIGN_OR_RETURN(pass->cublas_, cuda::CublasLtLibrary::Open());
  ASSIGN_OR_RETURN(pass->products_, cuda::LibraryProducts::Create(*pass->cublas_));
  ASSIGN_OR_RETURN(pass->small_products_,
                   cuda::SmallProducts::Create(options.device.compute_capability == 90));
  ASSIGN_OR_RETURN(pass->attention_,
                   cuda::AttentionPlans::Create(
                       {.device = options.device,
                        .largest = {.tokens = tokens, .sequences = sequences, .longest = tokens},
                        .forced = options.attention}));
  ASSIGN_OR_RETURN(pass->ring_, StepRing::Create(tokens, sequences));
  ASSIGN_OR_RETURN(pass->arena_,
                   cuda::DeviceMemory::Allocate(model.ArenaBytes(options.dtype, tokens),
                                                "the scratch of steps"));
  for (const hub::Output output : hub::kAllOutputs) {
    const OutputShape shape = model.shape(output);
    Tensor& rows = pass->rows_[output];
    rows = {.dtype = DType::kFloat32, .rows = shape.rows(sequences, tokens), .cols = shape.columns};
    ASSIGN_OR_RETURN(pass->row_memory_[output],
                     cuda::DeviceMemory::Allocate(rows.bytes(), "a step's rows"));
    rows.data = pass->row_memory_[output].data();
  }
  return pass;
}

bool CudaPass::Publishes(const GraphKey& key) const {
  int64_t bytes = 0, outputs = 0;
  bool per_token = false;
  for (const hub::Output output : hub::kAllOutputs) {
    if (!key.outputs.Has(output)) continue;
    ++outputs;
    per_token |= model_.shape(output).per_token;
    bytes += key.bucket.sequences * model_.shape(output).columns * int64_t{sizeof(float)};
  }
  return outputs == 1 && !per_token && bytes <= kPublishedBytesMax;
}

absl::Status CudaPass::Queue(const GraphKey& key) {
  const StepBucket& bucket = key.bucket;
  const kernels::Launch launch{.stream = stream_.get()};
  if (options_.poison_scratch) {
    RETURN_IF_CUDA_ERROR(cudaMemsetAsync(arena_.data(), kPoison,
                                         static_cast<std::size_t>(arena_.bytes()), stream_.get()),
                         "poisoning scratch");
  }
  RETURN_IF_CUDA_ERROR(ring_.Fetch(launch, bucket), "fetching a step");
  attention_->BeginStep(
      {.tokens = bucket.tokens, .sequences = bucket.sequences, .longest = bucket.longest});
  Arena arena(arena_.data(), arena_.bytes());
  cuda::CudaOps ops({.stream = stream_,
                     .products = *products_,
                     .small_products = small_products_,
                     .attention = *attention_},
                    options_.dtype, arena, bucket.tokens, ring_.tokens_used());
  hub::PerOutput<Tensor> out;
  for (const hub::Output output : hub::kAllOutputs) {
    if (!key.outputs.Has(output)) continue;
    const OutputShape shape = model_.shape(output);
    out[output] = rows_[output].Rows(0, shape.rows(bucket.sequences, bucket.tokens));
  }
  model_.Run(ops, ring_.Input(bucket), out);
  RETURN_IF_ERROR(ops.status());
  if (!Publishes(key)) return absl::OkStatus();
  for (const hub::Output output : hub::kAllOutputs) {
    if (!key.outputs.Has(output)) continue;
    RETURN_IF_CUDA_ERROR(kernels::PublishRows({.stream = stream_.get(), .overlap = true},
                                              out[output], ring_.state()),
                         "publishing rows");
  }
  return absl::OkStatus();
}

int64_t CudaPass::memory_bytes() const {
  int64_t bytes = arena_.bytes() + small_products_.memory_bytes();
  for (const hub::Output output : hub::kAllOutputs) bytes += row_memory_[output].bytes();
  return bytes;
}

}  // namespace rose
