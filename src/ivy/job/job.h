#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/clock.h"
#include "ivy/job/model_table.h"

namespace ivy {

/// Two texts that are judged together. The first is often the same for many pairs: a query.
struct TextPair {
  std::shared_ptr<const std::string> first;
  std::string second;
};

/// Texts are valid UTF-8, a single one is not empty; ids are inside the vocabulary, at least one.
using Input = std::variant<std::string, TextPair, std::vector<int32_t>>;

/// What a request asks of a model, checked: the same for every route.
struct Job {
  const Model* model = nullptr;
  std::vector<Input> inputs;
  std::string field = "input";  ///< Where the inputs stood, for messages.
  std::string first_field;      ///< Where the first stood, if not at the head of `field`.
  bool single = false;          ///< The field held one input, not a list of them.
  hub::Outputs outputs = hub::Output::kDense;  ///< The model gives them all.
  std::shared_ptr<const Prompt> prompt;        ///< In front of each text; null: none.
  std::string instruction;                     ///< Of pairs, where the model's template has one.
  int max_length = 0;                          ///< Most tokens of one input; at most the model's.
  bool truncate = true;                        ///< False: a longer input is an error.
  text::TruncationSide side = text::TruncationSide::kRight;
  bool echoes = false;    ///< The answer repeats the texts.
  bool normalize = true;  ///< Dense vectors, also after a cut.
  int dimensions = 0;     ///< Components kept of each dense vector.
  common::TimePoint deadline = common::TimePoint::max();
  std::shared_ptr<wire::CancelToken> cancel;
  std::string request_id;  ///< The exchange's; for logs.
  common::Trace trace;     ///< Below the exchange's span.

  /// "input[3]", or "input" if there is but one.
  std::string PathOf(std::size_t index) const {
    if (!first_field.empty() && index-- == 0) return first_field;
    return single ? field : field + "[" + std::to_string(index) + "]";
  }
};

}  // namespace ivy
