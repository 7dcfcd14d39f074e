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

template <typename T>
std::span<const T> View(const cuda::DeviceMemory& arrays, int64_t offset, int64_t count) {
  return {reinterpret_cast<const T*>(arrays.data() + offset), static_cast<std::size_t>(count)};
}

}  // namespace

absl::StatusOr<StepRing> StepRing::Create(int64_t tokens_max, int64_t sequences_max) {
  StepRing ring;
  ring.layout_ = kernels::StepLayout::For(tokens_max, sequences_max);
  ASSIGN_OR_RETURN(ring.places_, cuda::PinnedMemory::Allocate(kPlaces * ring.layout_.bytes,
                                                              "the input of steps"));
  ASSIGN_OR_RETURN(ring.arrays_,
                   cuda::DeviceMemory::Allocate(ring.layout_.bytes, "the input of a step"));
  ASSIGN_OR_RETURN(ring.state_,
                   cuda::DeviceMemory::Allocate(sizeof(kernels::StepState), "a step's state"));
  RETURN_IF_CUDA_ERROR(cudaMemset(ring.state_.data(), 0, sizeof(kernels::StepState)),
                       "clearing a step's state");
  RETURN_IF_CUDA_ERROR(cudaDeviceSynchronize(), "clearing a step's state");
  return ring;
}

void StepRing::Write(const Batch& batch, const kernels::StepHeader& header) {
  CHECK(batch.tokens() <= layout_.tokens_max && batch.sequences() <= layout_.sequences_max)
      << batch.tokens() << " tokens in " << batch.sequences() << " sequences";
  std::byte* const place =
      places_.data() + static_cast<int64_t>(steps_++ % kPlaces) * layout_.bytes;
  std::memcpy(place, &header, sizeof header);
  Copy(batch.ids, place, layout_.ids);
  Copy(batch.type_ids, place, layout_.type_ids);
  Copy(batch.cu_seqlens, place, layout_.cu_seqlens);
  Copy(batch.prompt_lengths, place, layout_.prompt_lengths);
  Copy(batch.normalize, place, layout_.normalize);
  auto* const positions = reinterpret_cast<int32_t*>(place + layout_.position_ids);
  for (std::size_t s = 0; s + 1 < batch.cu_seqlens.size(); ++s) {
    const int32_t begin = batch.cu_seqlens[s], end = batch.cu_seqlens[s + 1];
    for (int32_t i = begin; i < end; ++i) positions[i] = i - begin;
  }
}

cudaError_t StepRing::Fetch(const kernels::Launch& launch, const StepBucket& bucket) const {
  return kernels::FetchStep(launch, {.data = places_.data(), .inputs = kPlaces, .layout = layout_},
                            bucket.tokens, bucket.sequences,
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
