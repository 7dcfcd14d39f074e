#include "text/pre_tokenizers/word_writer.h"

#include <array>

namespace text {
namespace {

// Room made at a time: copied, as a vector would set each of them alone.
constexpr std::array<std::string_view, 256> kRoomWords;

}  // namespace

WordWriter::WordWriter(std::vector<std::string_view>& words)
    : words_(words), next_(words.data() + words.size()), end_(next_) {}

WordWriter::~WordWriter() { words_.resize(static_cast<std::size_t>(next_ - words_.data())); }

void WordWriter::Grow() {
  const auto count = static_cast<std::size_t>(next_ - words_.data());
  words_.resize(count);
  words_.insert(words_.end(), kRoomWords.begin(), kRoomWords.end());
  next_ = words_.data() + count;
  end_ = words_.data() + words_.size();
}

}  // namespace text
