#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/clock.h"
#include "ivy/job/model_table.h"

namespace ivy {

/// Valid UTF-8, not empty; or ids inside the vocabulary, at least one.
using EmbedInput = std::variant<std::string, std::vector<int32_t>>;

/// What a request asks for, checked: the same for every route.
struct EmbedJob {
  const Model* model = nullptr;
  std::vector<EmbedInput> inputs;
  std::string field = "input";     ///< Where the inputs stood, for messages.
  bool single = false;             ///< The field held one input, not a list of them.
  const Prompt* prompt = nullptr;  ///< In front of each text; null: none.
  int max_length = 0;              ///< Most tokens of one input; at most the model's.
  bool truncate = true;            ///< False: a longer input is an error.
  text::TruncationSide side = text::TruncationSide::kRight;
  bool normalize = true;
  int dimensions = 0;  ///< Components kept of each vector.
  common::TimePoint deadline = common::TimePoint::max();
  std::shared_ptr<wire::CancelToken> cancel;

  /// "input[3]", or "input" if there is but one.
  std::string PathOf(std::size_t index) const {
    return single ? field : field + "[" + std::to_string(index) + "]";
  }
};

struct EmbedAnswer {
  int rows = 0;     ///< One for each input, in order.
  int columns = 0;  ///< = dimensions.
  std::vector<float> values;
  int64_t tokens = 0;      ///< That were run, special tokens included.
  int64_t characters = 0;  ///< Of the input texts.
  int64_t tokenize_us = 0;
  int64_t queue_us = 0;    ///< The longest of its chunks.
  int64_t compute_us = 0;  ///< Summed over its chunks.
};

using EmbedDone = std::function<void(absl::StatusOr<EmbedAnswer>)>;

}  // namespace ivy
