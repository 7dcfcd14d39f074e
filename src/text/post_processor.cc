#include "text/post_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>

namespace text {
namespace {

using Kind = PostProcessor::PairPiece::Kind;
using SpecialTokens = std::map<std::string, std::vector<int32_t>, std::less<>>;

constexpr int32_t kLastId = std::numeric_limits<int32_t>::max() - 1;

absl::StatusOr<SpecialTokens> ReadSpecialTokens(const JsonView& json) {
  SpecialTokens tokens;
  const auto read = [&](const std::string& name, const JsonView& value) -> absl::Status {
    RETURN_IF_ERROR(value.ExpectKeys({"id", "ids", "tokens"}));
    ASSIGN_OR_RETURN(const JsonView ids, value.Member("ids"));
    std::vector<int32_t>& token = tokens[name];
    return ids.ForEachElement([&](const JsonView& element) -> absl::Status {
      ASSIGN_OR_RETURN(token.emplace_back(), element.AsInteger(kLastId));
      return absl::OkStatus();
    });
  };
  RETURN_IF_ERROR(json.ForEachMember(read));
  return tokens;
}

absl::StatusOr<PostProcessor::PairPiece> ReadSequence(const JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"id", "type_id"}));
  PostProcessor::PairPiece piece;
  ASSIGN_OR_RETURN(piece.type_id, json.Integer("type_id", kLastId));
  ASSIGN_OR_RETURN(const JsonView id, json.Member("id"));
  ASSIGN_OR_RETURN(const std::string_view name, id.AsString());
  if (name != "A" && name != "B") return id.Expected("\"A\" or \"B\"");
  piece.kind = name == "A" ? Kind::kFirst : Kind::kSecond;
  return piece;
}

absl::StatusOr<PostProcessor::PairPiece> ReadSpecial(const JsonView& json,
                                                     const SpecialTokens& tokens) {
  RETURN_IF_ERROR(json.ExpectKeys({"id", "type_id"}));
  PostProcessor::PairPiece piece;
  ASSIGN_OR_RETURN(piece.type_id, json.Integer("type_id", kLastId));
  ASSIGN_OR_RETURN(const JsonView id, json.Member("id"));
  ASSIGN_OR_RETURN(const std::string_view name, id.AsString());
  const auto token = tokens.find(name);
  if (token == tokens.end()) return id.Expected("a key of post_processor.special_tokens");
  piece.ids = token->second;
  return piece;
}

absl::StatusOr<std::vector<PostProcessor::PairPiece>> ReadTemplate(const JsonView& json,
                                                                   const SpecialTokens& tokens) {
  std::vector<PostProcessor::PairPiece> pieces;
  const auto read = [&](const JsonView& element) -> absl::Status {
    RETURN_IF_ERROR(element.ExpectKeys({"Sequence", "SpecialToken"}));
    const bool is_sequence = element.Has("Sequence");
    if (is_sequence == element.Has("SpecialToken")) {
      return element.Error("expected one of the keys Sequence and SpecialToken");
    }
    ASSIGN_OR_RETURN(const JsonView body,
                     element.Member(is_sequence ? "Sequence" : "SpecialToken"));
    ASSIGN_OR_RETURN(pieces.emplace_back(),
                     is_sequence ? ReadSequence(body) : ReadSpecial(body, tokens));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(json.ForEachElement(read));
  return pieces;
}

absl::Status ExpectSequence(const JsonView& json,
                            const std::vector<PostProcessor::PairPiece>& pieces, Kind kind,
                            int times) {
  const auto count = std::count_if(pieces.begin(), pieces.end(),
                                   [&](const auto& piece) { return piece.kind == kind; });
  if (count == times) return absl::OkStatus();
  return json.Error(fmt::format("expected sequence {} {}, found {}",
                                kind == Kind::kFirst ? "A" : "B", times == 0 ? "nowhere" : "once",
                                count));
}

/// The token and id that `key` holds: ["[SEP]", 102].
absl::StatusOr<int32_t> ReadTokenAndId(const JsonView& json, std::string_view key) {
  ASSIGN_OR_RETURN(const JsonView pair, json.Member(key));
  int count = 0;
  int32_t id = 0;
  const auto read = [&](const JsonView& element) -> absl::Status {
    if (count++ != 1) return element.AsString().status();
    ASSIGN_OR_RETURN(id, element.AsInteger(kLastId));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(pair.ForEachElement(read));
  if (count != 2) return pair.Error("expected a token and its id");
  return id;
}

}  // namespace

int32_t PostProcessor::ids_end() const {
  int32_t end = 0;
  const auto cover = [&](const std::vector<int32_t>& ids) {
    for (const int32_t id : ids) end = std::max(end, id + 1);
  };
  cover(prefix);
  cover(suffix);
  for (const PairPiece& piece : pair) cover(piece.ids);
  return end;
}

absl::StatusOr<PostProcessor> ReadTemplateProcessing(const JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "single", "pair", "special_tokens"}));
  ASSIGN_OR_RETURN(const JsonView special_tokens, json.Member("special_tokens"));
  ASSIGN_OR_RETURN(const SpecialTokens tokens, ReadSpecialTokens(special_tokens));
  ASSIGN_OR_RETURN(const JsonView single, json.Member("single"));
  ASSIGN_OR_RETURN(const auto single_pieces, ReadTemplate(single, tokens));
  RETURN_IF_ERROR(ExpectSequence(single, single_pieces, Kind::kFirst, 1));
  RETURN_IF_ERROR(ExpectSequence(single, single_pieces, Kind::kSecond, 0));
  PostProcessor post_processor;
  std::vector<int32_t>* side = &post_processor.prefix;
  for (const auto& piece : single_pieces) {
    if (piece.kind == Kind::kFirst) side = &post_processor.suffix;
    side->insert(side->end(), piece.ids.begin(), piece.ids.end());
  }
  ASSIGN_OR_RETURN(const JsonView pair, json.Member("pair"));
  ASSIGN_OR_RETURN(post_processor.pair, ReadTemplate(pair, tokens));
  RETURN_IF_ERROR(ExpectSequence(pair, post_processor.pair, Kind::kFirst, 1));
  RETURN_IF_ERROR(ExpectSequence(pair, post_processor.pair, Kind::kSecond, 1));
  return post_processor;
}

absl::StatusOr<PostProcessor> ReadBertProcessing(const JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "sep", "cls"}));
  ASSIGN_OR_RETURN(const int32_t cls, ReadTokenAndId(json, "cls"));
  ASSIGN_OR_RETURN(const int32_t sep, ReadTokenAndId(json, "sep"));
  return PostProcessor{{cls},
                       {sep},
                       {{Kind::kSpecial, 0, {cls}},
                        {Kind::kFirst, 0, {}},
                        {Kind::kSpecial, 0, {sep}},
                        {Kind::kSecond, 1, {}},
                        {Kind::kSpecial, 1, {sep}}}};
}

absl::StatusOr<PostProcessor> ReadRobertaProcessing(const JsonView& json) {
  // The other two keys decide about offsets only.
  RETURN_IF_ERROR(json.ExpectKeys({"type", "sep", "cls", "trim_offsets", "add_prefix_space"}));
  ASSIGN_OR_RETURN(const int32_t cls, ReadTokenAndId(json, "cls"));
  ASSIGN_OR_RETURN(const int32_t sep, ReadTokenAndId(json, "sep"));
  return PostProcessor{{cls},
                       {sep},
                       {{Kind::kSpecial, 0, {cls}},
                        {Kind::kFirst, 0, {}},
                        {Kind::kSpecial, 0, {sep, sep}},
                        {Kind::kSecond, 0, {}},
                        {Kind::kSpecial, 0, {sep}}}};
}

}  // namespace text
