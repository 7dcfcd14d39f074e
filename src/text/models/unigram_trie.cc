#include "text/models/unigram_trie.h"

namespace text {

UnigramTrie::UnigramTrie(const Trie& pieces, std::span<const double> scores)
    : units_(pieces.units()) {
  for (Trie::Node node = 0; node < units_.size(); ++node) {
    units_[node].link = pieces.link(node);
    const int32_t id = pieces.value(node);
    if (id < 0) continue;
    units_[node].id = id;
    units_[node].score = scores[static_cast<std::size_t>(id)];
  }
}

}  // namespace text
