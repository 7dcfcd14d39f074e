#include "text/pipeline.h"

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

/// Bytes of the first block of `text`: up to a space or line break if there is one.
std::size_t BlockSize(std::string_view text) {
  if (text.size() <= kBlockBytes) return text.size();
  const std::size_t last = text.find_last_of(" \n", kBlockBytes);
  if (last != std::string_view::npos && last > 0) return last;
  return std::min(text.find_first_of(" \n", kBlockBytes), text.size());
}

void AppendAll(const std::vector<int32_t>& from, std::vector<int32_t>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Pipeline::Pipeline(Parts parts)
    : parts_(std::move(parts)),
      cuts_at_blanks_(parts_.normalized_tokens.empty() && parts_.pre_tokenizer != nullptr &&
                      parts_.pre_tokenizer->CutsAtBlanks() &&
                      (parts_.normalizer == nullptr || parts_.normalizer->CutsAtBlanks())) {}

std::size_t Pipeline::Encode(std::string_view utf8, const EncodeOptions& options, Scratch& scratch,
                             std::vector<int32_t>& ids) const {
  DCHECK(IsValidUtf8(utf8));
  const std::size_t specials =
      options.add_special_tokens ? static_cast<std::size_t>(special_tokens()) : 0;
  const auto max_length = static_cast<std::size_t>(options.max_length);
  CHECK(options.max_length == 0 || (options.max_length > 0 && max_length >= specials))
      << "max_length " << options.max_length << " with " << specials << " special tokens";
  const bool limited = options.max_length != 0;
  const bool keeps_tail = options.truncation_side == TruncationSide::kLeft;

  if (options.add_special_tokens) AppendAll(parts_.post_processor.prefix, ids);
  const std::size_t begin = ids.size();
  const std::size_t kept_max = limited ? max_length - specials : 0;
  Call call{scratch.buffers(), ids, std::numeric_limits<std::size_t>::max(),
            !options.match_special_tokens};
  if (limited && !keeps_tail) call.ids_max = begin + kept_max + 1;
  EncodeText(utf8, call);

  const std::size_t count = ids.size() - begin;
  if (limited && count > kept_max) {
    const auto first = ids.begin() + static_cast<std::ptrdiff_t>(begin);
    if (keeps_tail) std::copy(ids.end() - static_cast<std::ptrdiff_t>(kept_max), ids.end(), first);
    ids.resize(begin + kept_max);
  }
  if (options.add_special_tokens) AppendAll(parts_.post_processor.suffix, ids);
  return count + specials;
}

void Pipeline::EncodeText(std::string_view text, Call& call) const {
  AddedTokens::Scanner scanner(parts_.raw_tokens, text, call.plain_special);
  for (AddedTokens::Piece piece; !call.done() && scanner.Next(piece);) {
    if (piece.id) {
      call.ids.push_back(*piece.id);
    } else {
      EncodePlain(piece.text, call);
    }
  }
}

void Pipeline::EncodePlain(std::string_view text, Call& call) const {
  while (!text.empty() && !call.done()) {
    const std::size_t size = cuts_at_blanks_ ? BlockSize(text) : text.size();
    EncodeBlock(text.substr(0, size), call);
    text.remove_prefix(size);
  }
}

void Pipeline::EncodeBlock(std::string_view text, Call& call) const {
  if (parts_.normalizer != nullptr) {
    std::string& normalized = call.buffers.normalized;
    normalized.clear();
    parts_.normalizer->Normalize(text, call.buffers.normalizer, normalized);
    text = normalized;
  }
  AddedTokens::Scanner scanner(parts_.normalized_tokens, text, call.plain_special);
  for (AddedTokens::Piece piece; !call.done() && scanner.Next(piece);) {
    if (piece.id) {
      call.ids.push_back(*piece.id);
    } else {
      EncodeNormalized(piece.text, call);
    }
  }
}

void Pipeline::EncodeNormalized(std::string_view text, Call& call) const {
  std::vector<std::string_view>& words = call.buffers.words;
  words.clear();
  if (parts_.pre_tokenizer != nullptr) {
    parts_.pre_tokenizer->Split(text, words);
  } else {
    words.push_back(text);
  }
  parts_.model->Tokenize(words, call.ids_max, call.ids);
}

}  // namespace text
