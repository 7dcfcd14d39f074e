#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

#include "rose/runtime/cuda/step_bucket.h"
#include "rose/runtime/engine.h"

namespace rose {

/// Graphs by what they were captured for, the least recently used first to go ("Fast embeddings on
/// GPUs", Perplexity 2026: eager on the first hit, captured on the second, replayed from then on,
/// so that nobody waits for graphs that are not used again). One thread. `Graph` tells its
/// memory_bytes().
template <typename Graph>
class GraphCache {
 public:
  enum class Action : uint8_t {
    kRunEagerly,  ///< Met for the first time: libraries load what they need. Or refused.
    kCapture,     ///< Met again: Insert or Refuse follows.
    kReplay,
  };
  struct Decision {
    Action action = Action::kRunEagerly;
    const Graph* graph = nullptr;  ///< kReplay: valid until the next call.
  };

  explicit GraphCache(int64_t memory_bytes_max) : memory_bytes_max_(memory_bytes_max) {}

  Decision Meet(const GraphKey& key) {
    const auto [met, is_new] = entries_.try_emplace(key);
    Entry& entry = met->second;
    if (is_new) {
      recent_.push_front(key);
      entry.place = recent_.begin();
      Forget(kKeysMax);
      ++counters_.eager;
      return {};
    }
    recent_.splice(recent_.begin(), recent_, entry.place);
    if (entry.refused) ++counters_.eager;
    if (!entry.graph) return {.action = entry.refused ? Action::kRunEagerly : Action::kCapture};
    ++counters_.replays;
    return {.action = Action::kReplay, .graph = &*entry.graph};
  }

  /// The graph of the key met last. Older ones go until all fit; one that is larger than the limit
  /// alone stays until the next. Returns it.
  const Graph& Insert(const GraphKey& key, Graph graph) {
    Entry& entry = entries_.at(key);
    counters_.memory_bytes += graph.memory_bytes();
    ++counters_.captures;
    entry.graph = std::move(graph);
    while (counters_.memory_bytes > memory_bytes_max_ && entries_.size() > 1) ForgetOldest();
    return *entry.graph;
  }

  /// The key met last cannot be captured: it runs eagerly from now on.
  void Refuse(const GraphKey& key) {
    entries_.at(key).refused = true;
    ++counters_.eager;
  }

  /// A step that is too large to be worth a graph.
  void CountEager() { ++counters_.eager; }
  const GraphCounters& counters() const { return counters_; }

 private:
  /// Keys that were met once wait here too; they are small.
  static constexpr std::size_t kKeysMax = 65536;

  struct Entry {
    std::optional<Graph> graph;
    bool refused = false;
    std::list<GraphKey>::iterator place;
  };

  void Forget(std::size_t keys_max) {
    while (entries_.size() > keys_max) ForgetOldest();
  }
  void ForgetOldest() {
    const auto oldest = entries_.find(recent_.back());
    if (oldest->second.graph) {
      counters_.memory_bytes -= oldest->second.graph->memory_bytes();
      ++counters_.evictions;
    }
    entries_.erase(oldest);
    recent_.pop_back();
  }

  int64_t memory_bytes_max_;
  std::unordered_map<GraphKey, Entry, GraphKeyHash> entries_;
  std::list<GraphKey> recent_;  ///< The most recently met first.
  GraphCounters counters_;
};

}  // namespace rose
