#include "text/sourced_encoder.h"

#include <string>

namespace text {

std::vector<SourcedToken> SourcedEncoder::Encode(std::string_view text) {
  tokens_.clear();
  AddedTokens::Scanner scanner(parts_.raw_tokens, text, plain_special_);
  for (AddedTokens::Piece piece; scanner.Next(piece);) {
    const auto begin = static_cast<uint32_t>(piece.text.data() - text.data());
    if (piece.id) {
      Append(*piece.id, {begin, begin + static_cast<uint32_t>(piece.text.size())}, piece.text);
    } else {
      EncodePlain(AlignedText(piece.text, begin));
    }
  }
  return std::move(tokens_);
}

void SourcedEncoder::EncodePlain(AlignedText text) {
  if (parts_.normalizer != nullptr) parts_.normalizer->NormalizeAligned(text, buffers_.normalizer);
  AddedTokens::Scanner scanner(parts_.normalized_tokens, text.bytes(), plain_special_);
  for (AddedTokens::Piece piece; scanner.Next(piece);) {
    const auto begin = static_cast<std::size_t>(piece.text.data() - text.bytes().data());
    const std::size_t end = begin + piece.text.size();
    if (piece.id) {
      Append(*piece.id, {text.sources()[begin].begin, text.sources()[end - 1].end}, piece.text);
    } else {
      EncodeNormalized(text, begin, end);
    }
  }
}

void SourcedEncoder::EncodeNormalized(const AlignedText& text, std::size_t begin, std::size_t end) {
  std::string bytes(1, ' ');
  bytes.append(text.bytes(), begin, end - begin).append(WorkText::kSlack, '\0');
  const auto sources = text.sources().subspan(begin, end - begin);
  std::vector<SourceSpan> work_sources(1 + sources.size());
  std::copy(sources.begin(), sources.end(), work_sources.begin() + 1);
  WorkText work = {.data = bytes.data() + 1,
                   .size = sources.size(),
                   .sources = work_sources.data() + 1,
                   .is_first = sources[0].begin == 0};
  std::vector<std::string_view> words = {work.view()};
  if (parts_.pre_tokenizer != nullptr) {
    parts_.pre_tokenizer->Split(work, buffers_.pre_tokenizer, words);
  }
  std::vector<Model::Token> tokens;
  for (const std::string_view word : words) {
    tokens.clear();
    parts_.model->TokenizeWord(word, buffers_.word_table.model, tokens);
    const SourceSpan* at = work.sources + (word.data() - work.data);
    for (const Model::Token& token : tokens) {
      Append(token.id, {at[token.begin].begin, at[token.end - 1].end},
             parts_.model->vocabulary().PieceOf(token.id));
    }
  }
}

void SourcedEncoder::Append(int32_t id, SourceSpan source, std::string_view written) {
  const bool trims = parts_.post_processor.trim_offsets;
  tokens_.push_back({id, source, trims ? CountBlankEnds(written) : BlankEnds()});
}

}  // namespace text
