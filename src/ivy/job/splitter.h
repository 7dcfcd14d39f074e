#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ivy {

/// Indices of the sequences of one chunk.
using Chunk = std::vector<int32_t>;

/// Parts sequences of the given lengths (≥ 1) into chunks of at most `chunk_tokens` tokens and
/// about as many each; a longer sequence stands alone. The longest sequences come first. A job that
/// fits one chunk keeps its order. One that takes more chunks than there are replicas takes a
/// multiple of them, so that all are done at the same time.
std::vector<Chunk> Split(std::span<const int32_t> lengths, int64_t chunk_tokens, int replicas);

}  // namespace ivy
