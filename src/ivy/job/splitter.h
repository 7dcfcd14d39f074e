#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ivy {

/// Indices of the sequences of one chunk.
using Chunk = std::vector<int32_t>;

/// Parts sequences of the given lengths (≥ 1) into chunks of at most `chunk_tokens` tokens; a
/// longer sequence stands alone. The longest sequences come first. A job that fits one chunk keeps
/// its order. For one replica chunks are full but for the last ones: what is left over costs less
/// as a short step than spread over all steps, whose time hardly falls with a few tokens less. For
/// several, chunks have about as many tokens each and, where there are more of them than replicas,
/// are a multiple of them, so that all are done at the same time.
std::vector<Chunk> Split(std::span<const int32_t> lengths, int64_t chunk_tokens, int replicas);

}  // namespace ivy
