#include "tulip/sched/batch_buffer.h"

#include "common/check.h"

namespace tulip {
namespace {

/// Appends `count` entries of `from`, starting at `first`; zeros if the request left it empty.
void Append(std::vector<int32_t>& to, const std::vector<int32_t>& from, int64_t first,
            int64_t count) {
  if (from.empty()) {
    to.insert(to.end(), count, 0);
  } else {
    to.insert(to.end(), from.begin() + first, from.begin() + first + count);
  }
}

}  // namespace

BatchBuffer::BatchBuffer(int64_t tokens_max) {
  // A sequence has at least one token, so tokens bound the sequences too.
  ids_.reserve(tokens_max);
  type_ids_.reserve(tokens_max);
  cu_seqlens_.reserve(tokens_max + 1);
  prompt_lengths_.reserve(tokens_max);
  normalize_.reserve(tokens_max);
}

rose::Batch BatchBuffer::Pack(const BatchPlan& plan) {
  CHECK(plan.sequences > 0 && plan.tokens <= static_cast<int64_t>(ids_.capacity()));
  Clear();
  hub::Outputs outputs;
  for (const Slice& slice : plan.slices) {
    outputs |= slice.request->asked.outputs;
    has_type_ids_ |= !slice.request->asked.type_ids.empty();
    has_prompt_lengths_ |= !slice.request->asked.prompt_lengths.empty();
  }
  cu_seqlens_.push_back(0);
  for (const Slice& slice : plan.slices) AddSlice(slice);
  return {.ids = ids_,
          .type_ids = type_ids_,
          .cu_seqlens = cu_seqlens_,
          .prompt_lengths = prompt_lengths_,
          .normalize = normalize_,
          .outputs = outputs};
}

void BatchBuffer::Clear() {
  ids_.clear();
  type_ids_.clear();
  cu_seqlens_.clear();
  prompt_lengths_.clear();
  normalize_.clear();
  has_type_ids_ = false;
  has_prompt_lengths_ = false;
}

void BatchBuffer::AddSlice(const Slice& slice) {
  const wire::InferenceRequest& asked = slice.request->asked;
  Append(ids_, asked.ids, slice.token, slice.tokens);
  if (has_type_ids_) Append(type_ids_, asked.type_ids, slice.token, slice.tokens);
  if (has_prompt_lengths_) {
    Append(prompt_lengths_, asked.prompt_lengths, slice.sequence, slice.sequences);
  }
  for (int64_t i = 0; i < slice.sequences; ++i) {
    cu_seqlens_.push_back(cu_seqlens_.back() + asked.lengths[slice.sequence + i]);
  }
  normalize_.insert(normalize_.end(), slice.sequences, asked.normalize ? 1 : 0);
}

}  // namespace tulip
