#pragma once

#include <cstdint>
#include <vector>

#include "common/json_view.h"

namespace text {

/// The last step: which special tokens stand where around one text or a pair of them.
struct PostProcessor {
  /// One place of a template: the first text, the second, or special tokens.
  struct Piece {
    enum class Kind { kFirst, kSecond, kSpecial };
    Kind kind = Kind::kSpecial;
    int32_t type_id = 0;
    std::vector<int32_t> ids;  ///< of kSpecial
  };
  using Template = std::vector<Piece>;
  Template single = {{Piece::Kind::kFirst, 0, {}}};
  Template pair = {{Piece::Kind::kFirst, 0, {}}, {Piece::Kind::kSecond, 1, {}}};

  /// Whether offsets leave out the spaces at both ends of a token (trimmed_offsets.h). A single
  /// space in front of the text is kept if `add_prefix_space`: it may not be the text's own.
  bool trim_offsets = false;
  bool add_prefix_space = true;

  /// Largest id, plus one.
  int32_t ids_end() const;
};

/// Special tokens in a template.
int CountSpecialTokens(const PostProcessor::Template& pieces);

/// Reads `post_processor`, one of
/// - TemplateProcessing: special tokens at the places that `single` and `pair` name;
/// - BertProcessing: [CLS] A [SEP], and B [SEP] of type 1;
/// - RobertaProcessing: <s> A </s>, and </s> B </s>, all of type 0;
/// - ByteLevel: no special tokens, but a rule for offsets;
/// - Sequence: the others, at most one of which adds special tokens.
absl::StatusOr<PostProcessor> ReadPostProcessor(const common::JsonView& json);

}  // namespace text
