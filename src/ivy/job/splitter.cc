#include "ivy/job/splitter.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace ivy {
namespace {

using Length = std::function<int64_t(int32_t)>;

/// The longest first, each into the chunk that has the fewest tokens (Graham 1969), of `count` at
/// first; where it does not fit there it fits nowhere, and opens one more.
std::vector<Chunk> Deal(const Chunk& longest_first, const Length& length, int64_t chunk_tokens,
                        int64_t count) {
  std::vector<Chunk> chunks(static_cast<std::size_t>(count));
  using Filled = std::pair<int64_t, std::size_t>;  // tokens, chunk
  std::priority_queue<Filled, std::vector<Filled>, std::greater<>> least;
  for (std::size_t i = 0; i < chunks.size(); ++i) least.emplace(0, i);
  for (const int32_t index : longest_first) {
    auto [tokens, chunk] = least.top();
    if (tokens > 0 && tokens + length(index) > chunk_tokens) {
      tokens = 0;
      chunk = chunks.size();
      chunks.emplace_back();
    } else {
      least.pop();
    }
    chunks[chunk].push_back(index);
    least.emplace(tokens + length(index), chunk);
  }
  std::erase_if(chunks, [](const Chunk& chunk) { return chunk.empty(); });
  return chunks;
}

/// The longest first, each into the fullest chunk that has room for it, else into a new one (best
/// fit, Johnson 1973).
std::vector<Chunk> Fill(const Chunk& longest_first, const Length& length, int64_t chunk_tokens) {
  std::vector<Chunk> chunks;
  std::multimap<int64_t, std::size_t> room;  // tokens left, chunk
  for (const int32_t index : longest_first) {
    const int64_t tokens = length(index);
    int64_t left = chunk_tokens;
    std::size_t chunk = chunks.size();
    if (const auto found = room.lower_bound(tokens); found != room.end()) {
      std::tie(left, chunk) = *found;
      room.erase(found);
    } else {
      chunks.emplace_back();
    }
    chunks[chunk].push_back(index);
    if (left > tokens) room.emplace(left - tokens, chunk);
  }
  return chunks;
}

}  // namespace

std::vector<Chunk> Split(std::span<const int32_t> lengths, int64_t chunk_tokens, int replicas) {
  Chunk order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  const int64_t total = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  if (total <= chunk_tokens) return {order};
  const auto length = [&](int32_t index) { return lengths[static_cast<std::size_t>(index)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return length(a) > length(b); });
  if (replicas <= 1) return Fill(order, length, chunk_tokens);
  const auto even = [&](int64_t count) {
    if (count <= replicas) return count;
    return (count + replicas - 1) / replicas * replicas;
  };
  int64_t count = 0;
  int64_t shared = 0;  // tokens of sequences that do not fill a chunk
  for (const int32_t tokens : lengths) tokens < chunk_tokens ? shared += tokens : ++count;
  count = even(count + (shared + chunk_tokens - 1) / chunk_tokens);
  std::vector<Chunk> chunks = Deal(order, length, chunk_tokens, count);
  // What was opened late has only what was left over: once more, with as many from the start.
  if (std::ssize(chunks) <= count) return chunks;
  return Deal(order, length, chunk_tokens, even(std::ssize(chunks)));
}

}  // namespace ivy
