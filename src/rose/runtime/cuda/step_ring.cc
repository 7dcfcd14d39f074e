#include "rose/runtime/cuda/step_ring.h"

#include <algorithm>
#include <cstring>

#include "common/check.h"
#include "rose/cuda/status.h"

namespace rose {
namespace {

template <typename T>
void Copy(std::span<const T> values, std::byte* place, int64_t offset) {
  if (!values.empty()) std::memcpy(place + offset, values.data(), values.size_bytes());
}

bool IsFetched(const kernels::StepLayout& layout) {
  return layout.input_bytes <= kernels::kFetchedBytesMax;
}

template <typename T>
std::span<const T> View(const cuda::DeviceMemory& arrays, int64_t offset, int64_t count) {
  return {reinterpret_cast<const T*>(arrays.data() + offset), static_cast<std::size_t>(count)};
}

}  // namespace

absl::StatusOr<StepRing> StepRing::Create(int64_t tokens_max, int64_t sequences_max) {
  StepRing ring;
  ring.layout_ = kernels::StepLayout::For(tokens_max, sequences_max);
  ASSIGN_OR_RETURN(ring.places_, cuda::PinnedMemory::Allocate(kPlaces * ring.layout_.input_bytes,
                                                              "the input of steps"));
  ASSIGN_OR_RETURN(ring.copied_,
                   cuda::DeviceMemory::Allocate(ring.layout_.input_bytes, "the input of a step"));
  ASSIGN_OR_RETURN(ring.arrays_,
                   cuda::DeviceMemory::Allocate(ring.layout_.bytes, "the input of a step"));
  ASSIGN_OR_RETURN(ring.state_,
                   cuda::DeviceMemory::Allocate(sizeof(kernels::StepState), "a step's state"));
  RETURN_IF_CUDA_ERROR(cudaMemset(ring.state_.data(), 0, sizeof(kernels::StepState)),
                       "clearing a step's state");
  RETURN_IF_CUDA_ERROR(cudaDeviceSynchronize(), "clearing a step's state");
  return ring;
}

cudaError_t StepRing::Write(const cuda::Stream& stream, const Batch& batch,
                            const StepBucket& bucket, const kernels::StepHeader& header) {
  const auto layout = kernels::StepLayout::For(bucket.tokens, bucket.sequences);
  CHECK(layout.input_bytes <= layout_.input_bytes)
      << batch.tokens() << " tokens in " << batch.sequences() << " sequences";
  std::byte* const place =
      places_.data() + static_cast<int64_t>(steps_++ % kPlaces) * layout_.input_bytes;
  std::memcpy(place, &header, sizeof header);
  Copy(batch.cu_seqlens, place, layout.cu_seqlens);
  Copy(batch.prompt_lengths, place, layout.prompt_lengths);
  Copy(batch.normalize, place, layout.normalize);
  Copy(batch.ids, place, layout.ids);
  Copy(batch.type_ids, place, layout.type_ids);
  if (IsFetched(layout)) return cudaSuccess;
  const int64_t bytes = batch.type_ids.empty() ? layout.type_ids : layout.input_bytes;
  return cudaMemcpyAsync(copied_.data(), place, static_cast<std::size_t>(bytes),
                         cudaMemcpyHostToDevice, stream.get());
}

cudaError_t StepRing::Fetch(const kernels::Launch& launch, const StepBucket& bucket) const {
  const auto layout = kernels::StepLayout::For(bucket.tokens, bucket.sequences);
  kernels::StepInputs inputs{.data = copied_.data(), .places = 1};
  if (IsFetched(layout)) {
    inputs = {.data = places_.data(),
              .places = kPlaces,
              .place_bytes = layout_.input_bytes,
              .on_host = true};
  }
  return kernels::FetchStep(launch, inputs, bucket.tokens, bucket.sequences,
                            {.data = arrays_.data(), .layout = layout_}, state());
}

ModelInput StepRing::Input(const StepBucket& bucket) const {
  const auto [tokens, sequences, longest] = bucket;
  return {.ids = View<int32_t>(arrays_, layout_.ids, tokens),
          .position_ids = View<int32_t>(arrays_, layout_.position_ids, tokens),
          .type_ids = View<int32_t>(arrays_, layout_.type_ids, tokens),
          .prompt_lengths = View<int32_t>(arrays_, layout_.prompt_lengths, sequences),
          .normalize = View<uint8_t>(arrays_, layout_.normalize, sequences),
          .shape = {.cu_seqlens = View<int32_t>(arrays_, layout_.cu_seqlens, sequences + 1),
                    .tokens = tokens}};
}

}  // namespace rose
