#include <algorithm>

#include "text/pipeline.h"
#include "text/sourced_encoder.h"
#include "text/unicode/utf8.h"

// What of Pipeline need not be fast: offsets, and the way back.

namespace text {
namespace {

/// For each byte of `text`, and for its end, how many code points begin before it.
std::vector<uint32_t> CodePointsBefore(std::string_view text) {
  std::vector<uint32_t> before(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    before[i + 1] = before[i] + (!ContinuesCharacter(text[i]));
  }
  return before;
}

void Keep(std::size_t count, TruncationSide side, std::vector<SourcedToken>& tokens) {
  const auto excess = static_cast<std::ptrdiff_t>(tokens.size() - count);
  if (side == TruncationSide::kLeft) {
    tokens.erase(tokens.begin(), tokens.begin() + excess);
  } else {
    tokens.erase(tokens.end() - excess, tokens.end());
  }
}

}  // namespace

// Whether the normal form of `text` begins with what `text` begins with: behind characters that are
// dropped, no word is the first. The front up to a place to cut tells.
bool Pipeline::KeepsFirst(std::string_view text, Call& call) const {
  std::size_t end = 1;
  while (end < text.size() &&
         (ContinuesCharacter(text[end]) || !parts_.normalizer->CanCut(text, end))) {
    ++end;
  }
  AlignedText front(text.substr(0, end));
  parts_.normalizer->NormalizeAligned(front, call.buffers.normalizer);
  return !front.sources().empty() && front.sources()[0].begin == 0;
}

absl::StatusOr<Encoding> Pipeline::EncodeInDetail(std::string_view first,
                                                  std::optional<std::string_view> second,
                                                  const EncodeOptions& options,
                                                  Scratch& scratch) const {
  SourcedEncoder encoder(parts_, !options.match_special_tokens, scratch);
  std::vector<SourcedToken> tokens[2] = {encoder.Encode(first)};
  if (second) tokens[1] = encoder.Encode(*second);
  ASSIGN_OR_RETURN(const PairLengths kept,
                   KeptLengths({tokens[0].size(), tokens[1].size()},
                               second ? special_tokens_of_pair_ : special_tokens_, options));
  Keep(kept.first, options.truncation_side, tokens[0]);
  Keep(kept.second, options.truncation_side, tokens[1]);

  Encoding encoding;
  const auto append = [&](int32_t id, int32_t type_id, Encoding::Offset offset, bool special) {
    encoding.ids.push_back(id);
    encoding.type_ids.push_back(type_id);
    encoding.offsets.push_back(offset);
    encoding.special.push_back(special);
  };
  const std::string_view texts[2] = {first, second.value_or("")};
  const auto& pieces = second ? parts_.post_processor.pair : parts_.post_processor.single;
  for (const PostProcessor::Piece& piece : pieces) {
    if (piece.kind == PostProcessor::Piece::Kind::kSpecial) {
      if (!options.add_special_tokens) continue;
      for (const int32_t id : piece.ids) append(id, piece.type_id, {0, 0}, true);
      continue;
    }
    const std::size_t which = piece.kind == PostProcessor::Piece::Kind::kFirst ? 0 : 1;
    const auto before = CodePointsBefore(texts[which]);
    for (const SourcedToken& token : tokens[which]) {
      Encoding::Offset offset = {before[token.source.begin], before[token.source.end]};
      if (parts_.post_processor.trim_offsets) {
        offset = TrimOffset(offset, token.blanks, &token == &tokens[which].front(),
                            parts_.post_processor.add_prefix_space);
      }
      append(token.id, piece.type_id, offset, false);
    }
  }
  return encoding;
}

std::string_view Pipeline::PieceOf(int32_t id) const {
  const auto token = std::find_if(parts_.added_tokens.begin(), parts_.added_tokens.end(),
                                  [&](const AddedToken& added) { return added.id == id; });
  if (token != parts_.added_tokens.end()) return token->content;
  return parts_.model->vocabulary().PieceOf(id);
}

std::string Pipeline::Decode(std::span<const int32_t> ids, bool skip_special_tokens) const {
  std::vector<std::string> pieces;
  for (const int32_t id : ids) {
    const auto is_skipped = [&](const AddedToken& token) {
      return token.id == id && token.special && skip_special_tokens;
    };
    if (std::any_of(parts_.added_tokens.begin(), parts_.added_tokens.end(), is_skipped)) continue;
    const std::string_view piece = PieceOf(id);
    if (!piece.empty()) pieces.emplace_back(piece);
  }
  std::string text;
  if (parts_.decoder != nullptr) {
    parts_.decoder->Decode(pieces);
    for (const std::string& piece : pieces) text += piece;
    return text;
  }
  for (const std::string& piece : pieces) {
    if (&piece != &pieces.front()) text += ' ';
    text += piece;
  }
  return text;
}

std::size_t Pipeline::memory_bytes() const {
  return parts_.model->memory_bytes() + words_.memory_bytes();
}

}  // namespace text
