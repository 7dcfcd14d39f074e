#include "text/post_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "text/type_table.h"

namespace text {
namespace {

using Kind = PostProcessor::Piece::Kind;
using SpecialTokens = std::map<std::string, std::vector<int32_t>, std::less<>>;

// A template has a few; a list of many large ones would only cost memory.
constexpr int kSpecialTokensMax = 1024;

constexpr int32_t kLastId = std::numeric_limits<int32_t>::max() - 1;

absl::StatusOr<SpecialTokens> ReadSpecialTokens(const common::JsonView& json) {
  SpecialTokens tokens;
  const auto read = [&](const std::string& name, const common::JsonView& value) -> absl::Status {
    RETURN_IF_ERROR(value.ExpectKeys({"id", "ids", "tokens"}));
    ASSIGN_OR_RETURN(const common::JsonView ids, value.Member("ids"));
    std::vector<int32_t>& token = tokens[name];
    return ids.ForEachElement([&](const common::JsonView& element) -> absl::Status {
      ASSIGN_OR_RETURN(token.emplace_back(), element.AsInteger(kLastId));
      return absl::OkStatus();
    });
  };
  RETURN_IF_ERROR(json.ForEachMember(read));
  return tokens;
}

absl::StatusOr<PostProcessor::Piece> ReadSequence(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"id", "type_id"}));
  PostProcessor::Piece piece;
  ASSIGN_OR_RETURN(piece.type_id, json.Integer("type_id", kLastId));
  ASSIGN_OR_RETURN(const common::JsonView id, json.Member("id"));
  ASSIGN_OR_RETURN(const std::string_view name, id.AsString());
  if (name != "A" && name != "B") return id.Expected("\"A\" or \"B\"");
  piece.kind = name == "A" ? Kind::kFirst : Kind::kSecond;
  return piece;
}

absl::StatusOr<PostProcessor::Piece> ReadSpecial(const common::JsonView& json,
                                                 const SpecialTokens& tokens) {
  RETURN_IF_ERROR(json.ExpectKeys({"id", "type_id"}));
  PostProcessor::Piece piece;
  ASSIGN_OR_RETURN(piece.type_id, json.Integer("type_id", kLastId));
  ASSIGN_OR_RETURN(const common::JsonView id, json.Member("id"));
  ASSIGN_OR_RETURN(const std::string_view name, id.AsString());
  const auto token = tokens.find(name);
  if (token == tokens.end()) return id.Expected("a key of post_processor.special_tokens");
  piece.ids = token->second;
  return piece;
}

absl::StatusOr<std::vector<PostProcessor::Piece>> ReadTemplate(const common::JsonView& json,
                                                               const SpecialTokens& tokens) {
  std::vector<PostProcessor::Piece> pieces;
  const auto read = [&](const common::JsonView& element) -> absl::Status {
    RETURN_IF_ERROR(element.ExpectKeys({"Sequence", "SpecialToken"}));
    const bool is_sequence = element.Has("Sequence");
    if (is_sequence == element.Has("SpecialToken")) {
      return element.Error("expected one of the keys Sequence and SpecialToken");
    }
    ASSIGN_OR_RETURN(const common::JsonView body,
                     element.Member(is_sequence ? "Sequence" : "SpecialToken"));
    ASSIGN_OR_RETURN(pieces.emplace_back(),
                     is_sequence ? ReadSequence(body) : ReadSpecial(body, tokens));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(json.ForEachElement(read));
  if (CountSpecialTokens(pieces) > kSpecialTokensMax) {
    return json.Error(fmt::format("expected at most {} special tokens", kSpecialTokensMax));
  }
  return pieces;
}

absl::Status ExpectSequence(const common::JsonView& json,
                            const std::vector<PostProcessor::Piece>& pieces, Kind kind, int times) {
  const auto count = std::count_if(pieces.begin(), pieces.end(),
                                   [&](const auto& piece) { return piece.kind == kind; });
  if (count == times) return absl::OkStatus();
  return json.Error(fmt::format("expected sequence {} {}, found {}",
                                kind == Kind::kFirst ? "A" : "B", times == 0 ? "nowhere" : "once",
                                count));
}

/// The token and id that `key` holds: ["[SEP]", 102].
absl::StatusOr<int32_t> ReadTokenAndId(const common::JsonView& json, std::string_view key) {
  ASSIGN_OR_RETURN(const common::JsonView pair, json.Member(key));
  int count = 0;
  int32_t id = 0;
  const auto read = [&](const common::JsonView& element) -> absl::Status {
    if (count++ != 1) return element.AsString().status();
    ASSIGN_OR_RETURN(id, element.AsInteger(kLastId));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(pair.ForEachElement(read));
  if (count != 2) return pair.Error("expected a token and its id");
  return id;
}

absl::Status ReadOffsetRules(const common::JsonView& json, PostProcessor& post_processor) {
  if (json.Has("trim_offsets")) {
    ASSIGN_OR_RETURN(post_processor.trim_offsets, json.Bool("trim_offsets"));
  }
  if (json.Has("add_prefix_space")) {
    ASSIGN_OR_RETURN(post_processor.add_prefix_space, json.Bool("add_prefix_space"));
  }
  return absl::OkStatus();
}

absl::StatusOr<PostProcessor> ReadTemplateProcessing(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "single", "pair", "special_tokens"}));
  ASSIGN_OR_RETURN(const common::JsonView special_tokens, json.Member("special_tokens"));
  ASSIGN_OR_RETURN(const SpecialTokens tokens, ReadSpecialTokens(special_tokens));
  ASSIGN_OR_RETURN(const common::JsonView single, json.Member("single"));
  PostProcessor post_processor;
  ASSIGN_OR_RETURN(post_processor.single, ReadTemplate(single, tokens));
  RETURN_IF_ERROR(ExpectSequence(single, post_processor.single, Kind::kFirst, 1));
  RETURN_IF_ERROR(ExpectSequence(single, post_processor.single, Kind::kSecond, 0));
  ASSIGN_OR_RETURN(const common::JsonView pair, json.Member("pair"));
  ASSIGN_OR_RETURN(post_processor.pair, ReadTemplate(pair, tokens));
  RETURN_IF_ERROR(ExpectSequence(pair, post_processor.pair, Kind::kFirst, 1));
  RETURN_IF_ERROR(ExpectSequence(pair, post_processor.pair, Kind::kSecond, 1));
  return post_processor;
}

absl::StatusOr<PostProcessor> ReadBertProcessing(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "sep", "cls"}));
  ASSIGN_OR_RETURN(const int32_t cls, ReadTokenAndId(json, "cls"));
  ASSIGN_OR_RETURN(const int32_t sep, ReadTokenAndId(json, "sep"));
  PostProcessor post_processor;
  post_processor.single = {
      {Kind::kSpecial, 0, {cls}}, {Kind::kFirst, 0, {}}, {Kind::kSpecial, 0, {sep}}};
  post_processor.pair = post_processor.single;
  post_processor.pair.push_back({Kind::kSecond, 1, {}});
  post_processor.pair.push_back({Kind::kSpecial, 1, {sep}});
  return post_processor;
}

absl::StatusOr<PostProcessor> ReadRobertaProcessing(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "sep", "cls", "trim_offsets", "add_prefix_space"}));
  ASSIGN_OR_RETURN(const int32_t cls, ReadTokenAndId(json, "cls"));
  ASSIGN_OR_RETURN(const int32_t sep, ReadTokenAndId(json, "sep"));
  PostProcessor post_processor;
  RETURN_IF_ERROR(ReadOffsetRules(json, post_processor));
  post_processor.single = {
      {Kind::kSpecial, 0, {cls}}, {Kind::kFirst, 0, {}}, {Kind::kSpecial, 0, {sep}}};
  post_processor.pair = post_processor.single;
  post_processor.pair.push_back({Kind::kSpecial, 0, {sep}});
  post_processor.pair.push_back({Kind::kSecond, 0, {}});
  post_processor.pair.push_back({Kind::kSpecial, 0, {sep}});
  return post_processor;
}

absl::StatusOr<PostProcessor> ReadByteLevelProcessing(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "trim_offsets", "add_prefix_space", "use_regex"}));
  PostProcessor post_processor;
  RETURN_IF_ERROR(ReadOffsetRules(json, post_processor));
  return post_processor;
}

absl::StatusOr<PostProcessor> ReadProcessorSequence(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "processors"}));
  ASSIGN_OR_RETURN(const common::JsonView processors, json.Member("processors"));
  PostProcessor sequence;
  bool has_template = false;
  const auto read = [&](const common::JsonView& element) -> absl::Status {
    ASSIGN_OR_RETURN(PostProcessor member, ReadPostProcessor(element));
    if (member.trim_offsets) {
      sequence.trim_offsets = true;
      sequence.add_prefix_space = member.add_prefix_space;
    }
    ASSIGN_OR_RETURN(const std::string_view type, element.String("type"));
    if (type == "ByteLevel") return absl::OkStatus();
    if (has_template) return element.Error("special tokens are added by an earlier processor");
    has_template = true;
    sequence.single = std::move(member.single);
    sequence.pair = std::move(member.pair);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(processors.ForEachElement(read));
  return sequence;
}

}  // namespace

int32_t PostProcessor::ids_end() const {
  int32_t end = 0;
  for (const Template* pieces : {&single, &pair}) {
    for (const Piece& piece : *pieces) {
      for (const int32_t id : piece.ids) end = std::max(end, id + 1);
    }
  }
  return end;
}

int CountSpecialTokens(const PostProcessor::Template& pieces) {
  std::size_t count = 0;
  for (const auto& piece : pieces) count += piece.ids.size();
  return static_cast<int>(count);
}

absl::StatusOr<PostProcessor> ReadPostProcessor(const common::JsonView& json) {
  constexpr Type<PostProcessor> kTypes[] = {
      {"BertProcessing", ReadBertProcessing},         {"ByteLevel", ReadByteLevelProcessing},
      {"RobertaProcessing", ReadRobertaProcessing},   {"Sequence", ReadProcessorSequence},
      {"TemplateProcessing", ReadTemplateProcessing},
  };
  return ReadType<PostProcessor>(json, kTypes);
}

}  // namespace text
