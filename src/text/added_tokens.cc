#include "text/added_tokens.h"

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "text/unicode/characters.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

// So many bytes at most are looked for 16 places at a time; contents mostly begin alike.
constexpr std::size_t kFewBytes = 4;

bool IsWhitespace(char32_t c) { return (Characters::Get().traits(c) & kWhitespaceTrait) != 0; }

/// Where the whitespace that ends at `end` begins, not looking before `begin`.
std::size_t WhitespaceBegin(std::string_view text, std::size_t begin, std::size_t end) {
  while (end > begin) {
    const char32_t c = LastCodePoint(text.substr(0, end));
    if (!IsWhitespace(c)) break;
    do --end;
    while (ContinuesCharacter(text[end]));
  }
  return end;
}

std::size_t WhitespaceEnd(std::string_view text, std::size_t at) {
  for (std::size_t next = at; at < text.size(); at = next) {
    if (!IsWhitespace(DecodeUtf8(text, next))) break;
  }
  return at;
}

/// Whether neither neighbour of [begin, end) is a word character.
bool StandsAlone(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && IsWordCharacter(LastCodePoint(text.substr(0, begin)))) return false;
  return end == text.size() || !IsWordCharacter(DecodeUtf8(text, end));
}

}  // namespace

absl::StatusOr<std::vector<AddedToken>> ReadAddedTokens(const common::JsonView& json) {
  std::vector<AddedToken> tokens;
  const auto read = [&](const common::JsonView& element) -> absl::Status {
    RETURN_IF_ERROR(element.ExpectKeys(
        {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"}));
    AddedToken token;
    ASSIGN_OR_RETURN(token.content, element.String("content"));
    ASSIGN_OR_RETURN(token.id, element.Integer("id", std::numeric_limits<int32_t>::max() - 1));
    ASSIGN_OR_RETURN(token.special, element.Bool("special"));
    ASSIGN_OR_RETURN(token.normalized, element.Bool("normalized"));
    ASSIGN_OR_RETURN(token.lstrip, element.Bool("lstrip"));
    ASSIGN_OR_RETURN(token.rstrip, element.Bool("rstrip"));
    ASSIGN_OR_RETURN(token.single_word, element.Bool("single_word"));
    if (token.content.empty()) return element.Error("content is empty");
    tokens.push_back(std::move(token));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(json.ForEachElement(read));
  return tokens;
}

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::vector<Trie::Entry> entries;
  for (const AddedToken& token : tokens_) {
    entries.push_back({token.content, static_cast<int32_t>(entries.size())});
    bool& begins = begins_[static_cast<unsigned char>(token.content[0])];
    if (!begins) first_bytes_.push_back(token.content[0]);
    begins = true;
  }
  if (first_bytes_.size() > kFewBytes) first_bytes_.clear();
  contents_ = Trie(std::move(entries));
}

std::size_t AddedTokens::FindFirstByte(std::string_view text, std::size_t at) const {
  if (first_bytes_.size() == 1) return std::min(text.find(first_bytes_[0], at), text.size());
  for (; !first_bytes_.empty() && at + sizeof(__m128i) <= text.size(); at += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    __m128i found = _mm_setzero_si128();
    for (const char byte : first_bytes_) {
      found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte)));
    }
    const auto places = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (places != 0) return at + static_cast<std::size_t>(std::countr_zero(places));
  }
  while (at < text.size() && !begins_[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

std::optional<AddedTokens::Match> AddedTokens::Find(std::string_view text, std::size_t at) const {
  for (; (at = FindFirstByte(text, at)) < text.size(); ++at) {
    const Trie::Match match = contents_.LongestPrefix(Trie::kRoot, text.substr(at));
    if (match.size > 0) {
      return Match{at, match.size, &tokens_[static_cast<std::size_t>(match.value)]};
    }
  }
  return std::nullopt;
}

// A token that is found but may not stand where it does still hides those that overlap it.
bool AddedTokens::Scanner::FindToken() {
  while (const auto match = tokens_.Find(text_, searched_)) {
    const AddedToken& token = *match->token;
    begin_ = match->begin;
    end_ = searched_ = match->begin + match->size;
    if (plain_special_ && token.special) continue;
    if (token.single_word && !StandsAlone(text_, begin_, end_)) continue;
    if (token.lstrip) begin_ = std::max(WhitespaceBegin(text_, taken_, begin_), taken_);
    if (token.rstrip) end_ = WhitespaceEnd(text_, end_);
    if (begin_ >= end_) continue;  // All of it went with the token before.
    found_ = token.id;
    return true;
  }
  return false;
}

bool AddedTokens::Scanner::Next(Piece& piece) {
  if (!found_ && (tokens_.empty() || !FindToken())) {
    piece = {text_.substr(taken_), std::nullopt};
    taken_ = searched_ = text_.size();
    return !piece.text.empty();
  }
  if (taken_ < begin_) {
    piece = {text_.substr(taken_, begin_ - taken_), std::nullopt};
    taken_ = begin_;
    return true;
  }
  piece = {text_.substr(begin_, end_ - begin_), found_};
  found_.reset();
  taken_ = end_;
  return true;
}

}  // namespace text
