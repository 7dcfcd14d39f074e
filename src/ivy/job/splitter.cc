#include "ivy/job/splitter.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace ivy {

std::vector<Chunk> Split(std::span<const int32_t> lengths, int64_t chunk_tokens) {
  Chunk order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  if (std::accumulate(lengths.begin(), lengths.end(), int64_t{0}) <= chunk_tokens) return {order};
  const auto length = [&](int32_t index) { return lengths[static_cast<std::size_t>(index)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return length(a) > length(b); });
  std::vector<Chunk> chunks;
  std::multimap<int64_t, std::size_t> by_room;  // tokens that still fit → chunk
  for (const int32_t index : order) {
    auto fit = by_room.lower_bound(length(index));
    if (fit == by_room.end()) {
      chunks.emplace_back();
      fit = by_room.emplace(std::max<int64_t>(chunk_tokens, length(index)), chunks.size() - 1);
    }
    auto node = by_room.extract(fit);
    chunks[node.mapped()].push_back(index);
    node.key() -= length(index);
    if (node.key() > 0) by_room.insert(std::move(node));
  }
  return chunks;
}

}  // namespace ivy
