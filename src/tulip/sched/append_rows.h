#pragma once

#include <cstdint>
#include <span>

#include "tulip/sched/slice_rows.h"
#include "wire/inference.h"

namespace tulip {

/// Adds a slice's rows, of what its request asks for, to the request's result. Sparse weights that
/// the model gives for each token become those of the token ids, the largest where an id recurs
/// (Chen et al., BGE M3-Embedding, 2024), without `sparse_ids_left_out`.
void AppendRows(const SliceRows& rows, std::span<const int32_t> sparse_ids_left_out,
                wire::InferenceResult& result);

}  // namespace tulip
