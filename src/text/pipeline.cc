#include "text/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "common/check.h"
#include "text/scratch.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

// Small enough for a block, its normal form and its words to stay in the innermost caches, and for
// a long text that is truncated to cost little beyond its kept part.
constexpr std::size_t kBlockBytes = 4096;
// How far from there a place to cut is looked for.
constexpr std::size_t kSearchBytes = 1024;
// So far apart are the places that are tried whatever stands there.
constexpr std::size_t kTryBytes = 64;
constexpr std::size_t kTriesAtBlanks = 64;

// What is normalized on both sides of such a place to see whether words end there.
constexpr std::size_t kContextBytes = 32;

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

bool BeginsBlanks(std::string_view text, std::size_t at) {
  const auto is_blank = [&](std::size_t i) { return text[i] == ' ' || text[i] == '\n'; };
  return is_blank(at) && !is_blank(at - 1);
}

void AppendAll(const std::vector<int32_t>& from, std::vector<int32_t>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Keeps `kept` elements of those behind `begin`: the first or the last ones.
void Cut(std::size_t begin, std::size_t kept, TruncationSide side, std::vector<int32_t>& ids) {
  const auto first = ids.begin() + static_cast<std::ptrdiff_t>(begin);
  if (side == TruncationSide::kLeft) {
    std::copy(ids.end() - static_cast<std::ptrdiff_t>(kept), ids.end(), first);
  }
  ids.resize(begin + kept);
}

/// Texts that may come as words: the pieces, as they stand in words.
std::vector<std::string> LikelyWords(const TokenizerParts& parts) {
  const PieceForm form = parts.pre_tokenizer == nullptr ? PieceForm() : parts.pre_tokenizer->form();
  const Vocabulary& vocabulary = parts.model->vocabulary();
  std::vector<std::string> words;
  for (int32_t id = 0; id < vocabulary.ids_end(); ++id) {
    auto word = form.ToWordBytes(vocabulary.PieceOf(id));
    if (!word) continue;
    // Metaspace puts a space in front of nearly every word.
    if (form.kind == PieceForm::Kind::kMetaspace && !word->starts_with(' ')) continue;
    words.push_back(*std::move(word));
  }
  return words;
}

}  // namespace

Pipeline::Pipeline(TokenizerParts parts)
    : parts_(std::move(parts)),
      special_tokens_(CountSpecialTokens(parts_.post_processor.single)),
      special_tokens_of_pair_(CountSpecialTokens(parts_.post_processor.pair)),
      may_cut_(parts_.normalized_tokens.empty() && parts_.pre_tokenizer != nullptr),
      asks_for_first_(parts_.normalizer != nullptr && parts_.pre_tokenizer != nullptr &&
                      parts_.pre_tokenizer->AsksForFirst()),
      words_(*parts_.model, LikelyWords(parts_)) {
  std::vector<int32_t>* side = &prefix_;
  for (const auto& piece : parts_.post_processor.single) {
    if (piece.kind == PostProcessor::Piece::Kind::kFirst) side = &suffix_;
    AppendAll(piece.ids, *side);
  }
}

std::size_t Pipeline::Encode(std::string_view utf8, const EncodeOptions& options, Scratch& scratch,
                             std::vector<int32_t>& ids) const {
  const std::size_t specials =
      options.add_special_tokens ? static_cast<std::size_t>(special_tokens_) : 0;
  const auto max_length = static_cast<std::size_t>(options.max_length);
  CHECK(options.max_length == 0 || (options.max_length > 0 && max_length >= specials))
      << "max_length " << options.max_length << " with " << specials << " special tokens";
  const std::size_t kept_max = options.max_length == 0 ? kUnlimited : max_length - specials;

  if (options.add_special_tokens) AppendAll(prefix_, ids);
  const std::size_t begin = ids.size();
  const std::size_t count = EncodeUpTo(utf8, kept_max, options, scratch, ids);
  if (count > kept_max) Cut(begin, kept_max, options.truncation_side, ids);
  if (options.add_special_tokens) AppendAll(suffix_, ids);
  return count + specials;
}

absl::StatusOr<std::size_t> Pipeline::EncodePair(std::string_view first, std::string_view second,
                                                 const EncodeOptions& options, Scratch& scratch,
                                                 std::vector<int32_t>& ids,
                                                 std::vector<int32_t>& type_ids) const {
  Scratch::Buffers& buffers = scratch.buffers();
  std::size_t kept_max =
      options.max_length > 0 ? static_cast<std::size_t>(options.max_length) : kUnlimited;
  PairLengths lengths;
  const auto encode = [&] {
    buffers.first.clear();
    buffers.second.clear();
    lengths = {EncodeUpTo(first, kept_max, options, scratch, buffers.first),
               EncodeUpTo(second, kept_max, options, scratch, buffers.second)};
  };
  encode();
  if (lengths.first > kept_max && lengths.second > kept_max &&
      options.truncation_strategy == TruncationStrategy::kLongestFirst) {
    // Both are long enough, but only whole do they tell whose the odd token is.
    kept_max = kUnlimited;
    encode();
  }
  ASSIGN_OR_RETURN(const PairLengths kept, KeptLengths(lengths, special_tokens_of_pair_, options));
  Cut(0, kept.first, options.truncation_side, buffers.first);
  Cut(0, kept.second, options.truncation_side, buffers.second);
  for (const auto& piece : parts_.post_processor.pair) {
    using Kind = PostProcessor::Piece::Kind;
    if (piece.kind == Kind::kSpecial && !options.add_special_tokens) continue;
    AppendAll(piece.kind == Kind::kFirst    ? buffers.first
              : piece.kind == Kind::kSecond ? buffers.second
                                            : piece.ids,
              ids);
    type_ids.resize(ids.size(), piece.type_id);
  }
  return lengths.first + lengths.second +
         (options.add_special_tokens ? static_cast<std::size_t>(special_tokens_of_pair_) : 0);
}

absl::StatusOr<PairLengths> Pipeline::KeptLengths(const PairLengths& lengths, int special_tokens,
                                                  const EncodeOptions& options) const {
  if (options.max_length == 0) return lengths;
  const int specials = options.add_special_tokens ? special_tokens : 0;
  if (options.max_length < specials) {
    return absl::InvalidArgumentError(
        fmt::format("max_length {}: expected 0 or at least the {} special tokens",
                    options.max_length, specials));
  }
  return Truncate(lengths, static_cast<std::size_t>(options.max_length - specials),
                  options.truncation_strategy);
}

std::size_t Pipeline::EncodeUpTo(std::string_view text, std::size_t kept_max,
                                 const EncodeOptions& options, Scratch& scratch,
                                 std::vector<int32_t>& ids) const {
  DCHECK(IsValidUtf8(text));
  const std::size_t begin = ids.size();
  Call call{scratch.buffers(), ids, kUnlimited, !options.match_special_tokens};
  if (kept_max != kUnlimited && options.truncation_side == TruncationSide::kRight) {
    call.ids_max = begin + kept_max + 1;
  }
  EncodeText(text, call);
  return ids.size() - begin;
}

void Pipeline::EncodeText(std::string_view text, Call& call) const {
  AddedTokens::Scanner scanner(parts_.raw_tokens, text, call.plain_special);
  for (AddedTokens::Piece piece; !call.done() && scanner.Next(piece); call.is_first = false) {
    if (piece.id) {
      call.ids.push_back(*piece.id);
    } else {
      EncodePlain(piece.text, call);
    }
  }
}

void Pipeline::EncodePlain(std::string_view text, Call& call) const {
  for (bool is_rest = false; !text.empty() && !call.done(); is_rest = true) {
    const std::size_t size = BlockSize(text, call);
    EncodeBlock(text.substr(0, size), is_rest, call);
    call.is_first = false;
    text.remove_prefix(size);
  }
}

// Bytes of the first block of `text`: up to the last blank in reach, or where else it can be cut
// behind that. CanCut costs what tens of bytes do to encode, so few places are tried of texts that
// have nowhere to cut, and of others those where words mostly end.
std::size_t Pipeline::BlockSize(std::string_view text, Call& call) const {
  if (text.size() <= kBlockBytes || !may_cut_) return text.size();
  std::size_t tries = kTriesAtBlanks;
  for (std::size_t at = kBlockBytes; at > kBlockBytes - kSearchBytes && tries > 0; --at) {
    if (!BeginsBlanks(text, at)) continue;
    --tries;
    if (CanCut(text, at, call)) return at;
  }
  std::size_t next_try = kBlockBytes - kSearchBytes;
  for (std::size_t at = next_try; at < text.size(); ++at) {
    const bool is_due = at >= next_try && !ContinuesCharacter(text[at]);
    if (!is_due && (tries == 0 || !BeginsBlanks(text, at))) continue;
    if (is_due) {
      next_try = at + kTryBytes;
    } else {
      --tries;
    }
    if (CanCut(text, at, call)) return at;
  }
  return text.size();
}

// The pre-tokenizer judges the normal form, of which it sees as much as any rule looks at.
bool Pipeline::CanCut(std::string_view text, std::size_t at, Call& call) const {
  if (ContinuesCharacter(text[at])) return false;
  if (parts_.normalizer == nullptr) return parts_.pre_tokenizer->CanCut(text, at);
  if (!parts_.normalizer->CanCut(text, at)) return false;
  std::size_t begin = at - std::min(at, kContextBytes);
  while (ContinuesCharacter(text[begin])) --begin;
  std::size_t end = std::min(at + kContextBytes, text.size());
  while (end < text.size() && ContinuesCharacter(text[end])) ++end;
  std::string& context = call.buffers.normalized;
  context.clear();
  parts_.normalizer->NormalizeRest(text.substr(begin, at - begin), call.buffers.normalizer,
                                   context);
  const std::size_t cut = context.size();
  parts_.normalizer->NormalizeRest(text.substr(at, end - at), call.buffers.normalizer, context);
  return cut > 0 && cut < context.size() && parts_.pre_tokenizer->CanCut(context, cut);
}

void Pipeline::EncodeBlock(std::string_view text, bool is_rest, Call& call) const {
  if (asks_for_first_ && call.is_first) call.is_first = KeepsFirst(text, call);
  std::string& normalized = call.buffers.normalized;
  normalized.assign(1, ' ');
  if (parts_.normalizer == nullptr) {
    normalized.append(text);
  } else if (is_rest) {
    parts_.normalizer->NormalizeRest(text, call.buffers.normalizer, normalized);
  } else {
    parts_.normalizer->Normalize(text, call.buffers.normalizer, normalized);
  }
  const std::size_t size = normalized.size() - 1;
  normalized.append(WorkText::kSlack, '\0');
  WorkText work = {.data = normalized.data() + 1, .size = size, .is_first = call.is_first};
  if (parts_.normalized_tokens.empty()) return EncodeNormalized(work, call);

  AddedTokens::Scanner scanner(parts_.normalized_tokens, work.view(), call.plain_special);
  for (AddedTokens::Piece piece; !call.done() && scanner.Next(piece); call.is_first = false) {
    work.data = normalized.data() + (piece.text.data() - normalized.data());
    work.size = piece.text.size();
    work.is_first = call.is_first;
    if (piece.id) {
      call.ids.push_back(*piece.id);
    } else {
      EncodeNormalized(work, call);
    }
  }
}

void Pipeline::EncodeNormalized(WorkText text, Call& call) const {
  if (text.size == 0) return;
  std::vector<std::string_view>& words = call.buffers.words;
  words.assign(1, text.view());
  if (parts_.pre_tokenizer != nullptr) {
    parts_.pre_tokenizer->Split(text, call.buffers.pre_tokenizer, words);
  }
  words_.Tokenize(words, call.ids_max, call.buffers.word_table, call.ids);
}

}  // namespace text
