#include "rose/runtime/cuda/cuda_pass.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <string>
#include <system_error>
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
  ASSIGN_OR_RETURN(cuda::ProductChoices choices, pass->ReadChoices());
  ASSIGN_OR_RETURN(pass->products_,
                   cuda::LibraryProducts::Create(*pass->cublas_, std::move(choices)));
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

cuda::ProductChoices CudaPass::NoChoices() const {
  return cuda::ProductChoices(options_.device.name, cublas_->version());
}

absl::StatusOr<cuda::ProductChoices> CudaPass::ReadChoices() const {
  cuda::ProductChoices choices = NoChoices();
  if (options_.tuning == "off") return choices;
  const bool is_auto = options_.tuning == "auto";
  const std::filesystem::path path =
      is_auto ? choices.DefaultPath() : std::filesystem::path(options_.tuning);
  std::error_code ignored;
  if (is_auto && (path.empty() || !std::filesystem::exists(path, ignored))) return choices;
  absl::Status status = choices.Read(path);
  if (status.ok()) return choices;
  const std::string message(status.message());
  if (!is_auto) return absl::InvalidArgumentError(fmt::format("--tuning: {}", message));
  spdlog::warn("products run as the library prefers: {}", message);
  return NoChoices();
}

hub::PerOutput<Tensor> CudaPass::RowsOf(const GraphKey& key) const {
  hub::PerOutput<Tensor> out;
  for (const hub::Output output : hub::kAllOutputs) {
    if (!key.outputs.Has(output)) continue;
    const OutputShape shape = model_.shape(output);
    out[output] = rows_[output].Rows(0, shape.rows(key.bucket.sequences, key.bucket.tokens));
  }
  return out;
}

absl::Status CudaPass::QueueForward(const GraphKey& key) {
  const StepBucket& bucket = key.bucket;
  if (options_.poison_scratch) {
    RETURN_IF_CUDA_ERROR(cudaMemsetAsync(arena_.data(), kPoison,
                                         static_cast<std::size_t>(arena_.bytes()), stream_.get()),
                         "poisoning scratch");
  }
  RETURN_IF_CUDA_ERROR(ring_.Fetch({.stream = stream_.get()}, bucket), "fetching a step");
  attention_->BeginStep(
      {.tokens = bucket.tokens, .sequences = bucket.sequences, .longest = bucket.longest});
  Arena arena(arena_.data(), arena_.bytes());
  cuda::CudaOps ops({.stream = stream_,
                     .products = *products_,
                     .small_products = small_products_,
                     .attention = *attention_,
                     .overlap = options_.device.overlaps_kernels(),
                     .tile_products = options_.device.compute_capability == 90},
                    options_.dtype, arena, bucket.tokens, ring_.tokens_used());
  model_.Run(ops, ring_.Input(bucket), RowsOf(key));
  return ops.status();
}

absl::Status CudaPass::Queue(const GraphKey& key) {
  RETURN_IF_ERROR(QueueForward(key));
  if (!Publishes(key)) return absl::OkStatus();
  const hub::PerOutput<Tensor> rows = RowsOf(key);
  for (const hub::Output output : hub::kAllOutputs) {
    if (!key.outputs.Has(output)) continue;
    const kernels::Launch launch = {.stream = stream_.get(),
                                    .overlap = options_.device.overlaps_kernels()};
    RETURN_IF_CUDA_ERROR(kernels::PublishRows(launch, rows[output], ring_.state()),
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
