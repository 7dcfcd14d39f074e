#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "text/json_view.h"

namespace text {

/// The last step: which special tokens stand where around one text or a pair of them.
struct PostProcessor {
  /// Ids before and after a single text.
  std::vector<int32_t> prefix, suffix;

  /// One place of the pair's template: the first text, the second, or special tokens.
  struct PairPiece {
    enum class Kind { kFirst, kSecond, kSpecial };
    Kind kind = Kind::kSpecial;
    int32_t type_id = 0;
    std::vector<int32_t> ids;  ///< of kSpecial
  };
  std::vector<PairPiece> pair;

  /// Tokens added to a single text.
  int special_tokens() const { return static_cast<int>(prefix.size() + suffix.size()); }
  /// Largest id, plus one.
  int32_t ids_end() const;
};

/// TemplateProcessing: special tokens at the places that `single` and `pair` name.
absl::StatusOr<PostProcessor> ReadTemplateProcessing(const JsonView& json);
/// BertProcessing: [CLS] A [SEP], and B [SEP] of type 1.
absl::StatusOr<PostProcessor> ReadBertProcessing(const JsonView& json);
/// RobertaProcessing: <s> A </s>, and </s> B </s>, all of type 0.
absl::StatusOr<PostProcessor> ReadRobertaProcessing(const JsonView& json);

}  // namespace text
