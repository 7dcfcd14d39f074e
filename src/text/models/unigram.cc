#include "text/models/unigram.h"

#include <emmintrin.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "text/models/model_scratch.h"
#include "text/models/unigram_score.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

constexpr double kUnknownPenalty = 10;
constexpr int32_t kDropped = -1;  // Instead of the unknown piece's id: there is none.
constexpr int32_t kNone = -2;     // The id of a place that nothing leads to.
// Sums of scores of a text stay finite.
constexpr double kScoreMax = 1e30;
constexpr std::size_t kCharacterBytesMax = 4;
// After so many bytes a word is looked at for a place that every way goes through.
constexpr std::size_t kStride = 256;

UnigramTrie MakeTrie(const Vocabulary& vocabulary, const PieceForm& form,
                     std::span<const double> scores) {
  std::vector<std::pair<std::string, int32_t>> keys;
  keys.reserve(vocabulary.size());
  for (int32_t id = 0; id < vocabulary.ids_end(); ++id) {
    auto bytes = form.ToWordBytes(vocabulary.PieceOf(id));
    if (bytes && !bytes->empty()) keys.emplace_back(std::move(*bytes), id);
  }
  std::vector<Trie::Entry> entries;
  entries.reserve(keys.size());
  for (const auto& [bytes, id] : keys) entries.push_back({bytes, id});
  return UnigramTrie(Trie(std::move(entries)), scores);
}

std::size_t PieceBytesMax(const Vocabulary& vocabulary) {
  std::size_t max = kCharacterBytesMax;
  for (int32_t id = 0; id < vocabulary.ids_end(); ++id) {
    max = std::max(max, vocabulary.PieceOf(id).size());
  }
  return max;
}

/// What the file's text has for each byte of a word; empty: the byte cannot be written alone, but
/// is then a part of a character that stays as it is.
std::array<std::string, 256> FileTextOfBytes(const PieceForm& form) {
  std::array<std::string, 256> texts;
  for (std::size_t byte = 0; byte < texts.size(); ++byte) texts[byte] = static_cast<char>(byte);
  if (form.kind == PieceForm::Kind::kMetaspace) texts[' '] = form.space;
  if (form.kind == PieceForm::Kind::kByteLevel) {
    for (char32_t c = 0; c < 0x200; ++c) {
      std::string character;
      AppendUtf8(c, character);
      const auto byte = form.ToWordBytes(character);
      if (byte) texts[static_cast<unsigned char>((*byte)[0])] = character;
    }
  }
  return texts;
}

/// Replaces `target` by the way that ends with the piece `id` of [begin, …), if that is better.
/// Without a branch: whether it is, no processor can predict.
inline void Improve(double score, int32_t id, uint32_t begin, UnigramScratch::Node& target) {
  auto* const to = reinterpret_cast<double*>(&target);
  const __m128d old = _mm_load_pd(to);
  const __m128i step =
      _mm_cvtsi64_si128(static_cast<int64_t>(uint64_t{begin} << 32 | static_cast<uint32_t>(id)));
  const __m128d sum = _mm_set_sd(score);
  const __m128d candidate = _mm_unpacklo_pd(sum, _mm_castsi128_pd(step));
  __m128d better = _mm_cmpgt_sd(sum, old);
  better = _mm_unpacklo_pd(better, better);
  _mm_store_pd(to, _mm_or_pd(_mm_and_pd(better, candidate), _mm_andnot_pd(better, old)));
}

void Append(int32_t id, std::size_t, std::size_t, std::vector<int32_t>& ids) { ids.push_back(id); }

void Append(int32_t id, std::size_t begin, std::size_t end, std::vector<Model::Token>& tokens) {
  tokens.push_back({id, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
}

}  // namespace

Unigram::Unigram(const Options& options, Vocabulary vocabulary, std::span<const double> scores)
    : vocabulary_(std::move(vocabulary)),
      pieces_(MakeTrie(vocabulary_, options.form, scores)),
      piece_bytes_max_(PieceBytesMax(vocabulary_)),
      unknown_id_(options.unknown_id.value_or(kDropped)),
      bytes_are_characters_(options.form.kind == PieceForm::Kind::kByteLevel) {
  unknown_score_ = scores.empty() ? 0 : *std::min_element(scores.begin(), scores.end());
  unknown_score_ -= kUnknownPenalty;
  if (options.byte_fallback) SetByteFallback(options.form);
}

void Unigram::SetByteFallback(const PieceForm& form) {
  const auto texts = FileTextOfBytes(form);
  for (const std::string& text : texts) {
    ByteFallback fallback;
    for (const char byte : text) {
      const auto id = vocabulary_.IdOf(fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte)));
      if (!id) {
        fallback.count = 0;
        break;
      }
      fallback.ids[fallback.count++] = *id;
    }
    byte_fallback_.push_back(fallback);
  }
}

absl::StatusOr<std::unique_ptr<Model>> Unigram::FromJson(const common::JsonView& json,
                                                         const PieceForm& form) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "unk_id", "vocab", "byte_fallback"}));
  ASSIGN_OR_RETURN(const common::JsonView vocab, json.Member("vocab"));
  const nlohmann::json& list = vocab.value();
  if (!list.is_array()) return vocab.Expected("a list of [piece, score]");
  std::vector<std::string> pieces;
  std::vector<double> scores;
  pieces.reserve(list.size());
  scores.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const nlohmann::json& entry = list[i];
    const bool pair = entry.is_array() && entry.size() == 2 && entry[0].is_string() &&
                      entry[1].is_number() && std::abs(entry[1].get<double>()) <= kScoreMax;
    if (!pair) return vocab.Element(i).Expected("[piece, score]");
    const auto& piece = entry[0].get_ref<const std::string&>();
    if (piece.empty()) return vocab.Element(i).Expected("a piece that is not empty");
    pieces.push_back(piece);
    scores.push_back(ScoreFromShortestDigits(entry[1].get<double>()));
  }
  Options options;
  options.form = form;
  if (json.Has("byte_fallback")) {
    ASSIGN_OR_RETURN(options.byte_fallback, json.Bool("byte_fallback"));
  }
  if (json.Has("unk_id")) {
    ASSIGN_OR_RETURN(const common::JsonView unknown, json.Member("unk_id"));
    if (pieces.empty()) return unknown.Error("names a piece of an empty vocabulary");
    ASSIGN_OR_RETURN(options.unknown_id,
                     unknown.AsInteger(static_cast<int32_t>(pieces.size()) - 1));
  }
  ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::FromPieces(pieces, [&](std::size_t i) {
                     return vocab.Element(i).Expected("a piece that was not there before");
                   }));
  return std::make_unique<Unigram>(options, std::move(vocabulary), scores);
}

std::size_t Unigram::CharacterEnd(std::string_view word, std::size_t at) const {
  const auto lead = static_cast<unsigned char>(word[at]);
  if (lead < 0xC0 || bytes_are_characters_) return at + 1;
  return std::min(word.size(), at + (lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4));
}

// Follows the pieces that begin at the characters from `at` on, up to the first that begins at
// `stop` or behind it, which it returns. Node 0 is that of place `base`.
std::size_t Unigram::Relax(std::string_view word, std::size_t base, std::size_t at,
                           std::size_t stop, std::span<Node> nodes) const {
  const UnigramTrie::Unit* const units = pieces_.units();
  while (at < stop) {
    const Node here = nodes[at - base];
    const auto begin = static_cast<uint32_t>(at);
    const std::size_t next = CharacterEnd(word, at);
    const UnigramTrie::Unit* unit = units;
    std::size_t end = at;
    do unit = UnigramTrie::Child(units, *unit, word[end]);
    while (unit != nullptr && ++end < next);
    if (unit == nullptr || unit->score == UnigramTrie::kNoPiece) {
      const uint32_t run_begin = here.id == unknown_id_ ? here.begin : begin;
      Improve(here.score + unknown_score_, unknown_id_, run_begin, nodes[next - base]);
    } else {
      Improve(here.score + unit->score, unit->id, begin, nodes[next - base]);
    }
    at = next;
    if (unit == nullptr) continue;
    for (; end < word.size(); ++end) {
      unit = UnigramTrie::Child(units, *unit, word[end]);
      if (unit == nullptr) break;
      Improve(here.score + unit->score, unit->id, begin, nodes[end + 1 - base]);
    }
  }
  return at;
}

template <typename T>
void Unigram::Split(std::string_view word, UnigramScratch& scratch, std::vector<T>& out) const {
  const Node none{UnigramTrie::kNoPiece, kNone, 0};
  std::vector<Node>& nodes = scratch.nodes;
  std::size_t base = 0;     // The place of node 0.
  std::size_t ready = 0;    // The last place whose node is ready.
  std::size_t written = 0;  // What lies before is in `out`.
  if (nodes.empty()) nodes.resize(1);
  nodes[0] = {0, kNone, 0};
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t stop = std::min(word.size(), at + kStride);
    const std::size_t last = std::min(word.size(), stop + kCharacterBytesMax + piece_bytes_max_);
    if (nodes.size() <= last - base) nodes.resize(std::max(2 * nodes.size(), last - base + 1));
    std::fill(nodes.data() + (ready + 1 - base), nodes.data() + (last + 1 - base), none);
    ready = last;
    at = Relax(word, base, at, stop, nodes);
    const auto is_none = [](const Node& node) { return node.id == kNone; };
    if (!std::all_of(nodes.data() + (at + 1 - base), nodes.data() + (ready + 1 - base), is_none)) {
      continue;
    }
    // Every way goes through `at`; only an unknown token that ends here may go on.
    std::size_t decided = at;
    if (at < word.size()) {
      while (decided > written && nodes[decided - base].id == unknown_id_) {
        decided = nodes[decided - base].begin;
      }
    }
    AppendPath(word, nodes, base, written, decided, out);
    nodes[0] = nodes[at - base];
    nodes[0].begin = static_cast<uint32_t>(decided);
    written = decided;
    base = ready = at;
  }
}

// Appends the tokens of [from, to), two places of the best way.
template <typename T>
void Unigram::AppendPath(std::string_view word, std::span<const Node> nodes, std::size_t base,
                         std::size_t from, std::size_t to, std::vector<T>& out) const {
  const std::size_t size = out.size();
  while (to > from) {
    const Node& node = nodes[to - base];
    std::size_t begin = node.begin;
    if (node.id == unknown_id_) {
      while (begin > from && nodes[begin - base].id == unknown_id_)
        begin = nodes[begin - base].begin;
      AppendUnknown(word, begin, to, out);
    } else {
      Append(node.id, begin, to, out);
    }
    to = begin;
  }
  std::reverse(out.begin() + static_cast<std::ptrdiff_t>(size), out.end());
}

std::optional<int32_t> Unigram::Find(std::string_view bytes) const {
  const UnigramTrie::Unit* unit = pieces_.units();
  for (const char byte : bytes) {
    unit = UnigramTrie::Child(pieces_.units(), *unit, byte);
    if (unit == nullptr) return std::nullopt;
  }
  if (unit->score == UnigramTrie::kNoPiece) return std::nullopt;
  return unit->id;
}

// Appends the last token of neighbouring unknown characters first. Together they may be a piece,
// if that piece's score is below those of many unknown characters.
template <typename T>
void Unigram::AppendUnknown(std::string_view word, std::size_t begin, std::size_t end,
                            std::vector<T>& out) const {
  const std::string_view bytes = word.substr(begin, end - begin);
  if (const auto id = Find(bytes)) return Append(*id, begin, end, out);
  const auto fallback = [&](char byte) -> const ByteFallback& {
    return byte_fallback_[static_cast<unsigned char>(byte)];
  };
  const bool falls_back =
      !byte_fallback_.empty() &&
      std::all_of(bytes.begin(), bytes.end(), [&](char b) { return fallback(b).count > 0; });
  if (!falls_back) {
    if (unknown_id_ != kDropped) Append(unknown_id_, begin, end, out);
    return;
  }
  for (std::size_t at = bytes.size(); at-- > 0;) {
    const ByteFallback& ids = fallback(bytes[at]);
    for (std::size_t i = ids.count; i-- > 0;) Append(ids.ids[i], begin, end, out);
  }
}

void Unigram::TokenizeWord(std::string_view word, ModelScratch& scratch,
                           std::vector<int32_t>& ids) const {
  Split(word, scratch.unigram, ids);
}

void Unigram::TokenizeWord(std::string_view word, ModelScratch& scratch,
                           std::vector<Token>& tokens) const {
  Split(word, scratch.unigram, tokens);
}

std::size_t Unigram::memory_bytes() const {
  return vocabulary_.memory_bytes() + pieces_.memory_bytes() +
         byte_fallback_.capacity() * sizeof(ByteFallback);
}

}  // namespace text
