#include "ivy/api/tokenize_text.h"

#include <fmt/format.h>

#include "ivy/api/fields.h"
#include "ivy/api/inputs.h"
#include "ivy/http/cause.h"
#include "ivy/http/json_writer.h"
#include "ivy/job/thread_scratch.h"

namespace ivy {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

/// Text of one request; of this much the answer takes some ten times as many bytes.
constexpr std::size_t kBytesMax = std::size_t{4} << 20;

absl::StatusOr<text::EncodeOptions> ReadOptions(const JsonBody& body, const Model& model) {
  ASSIGN_OR_RETURN(const auto special, body.Bool("add_special_tokens"));
  text::EncodeOptions options;
  options.add_special_tokens = special.value_or(true);
  options.match_special_tokens = !model.served.plain_special;
  return options;
}

absl::Status CheckSize(std::string_view field, std::size_t bytes) {
  if (bytes <= kBytesMax) return absl::OkStatus();
  return Failure(
      Cause::kValidation, field,
      fmt::format("expected at most {} bytes of text, prompts counted, got {}", kBytesMax, bytes));
}

absl::StatusOr<std::vector<std::string_view>> ReadTexts(const element& value, int items_max) {
  std::vector<std::string_view> texts;
  if (value.is_string()) {
    ASSIGN_OR_RETURN(texts.emplace_back(), ReadText(value, [] { return std::string("inputs"); }));
    return texts;
  }
  ASSIGN_OR_RETURN(const array list,
                   ReadList(value, "inputs", "a string or a list of strings", items_max));
  for (const element item : list) {
    const auto path = [&] { return fmt::format("inputs[{}]", texts.size()); };
    ASSIGN_OR_RETURN(const std::string_view text, ReadText(item, path));
    texts.push_back(text);
  }
  return texts;
}

/// Byte offsets of the code points of a text, and of its end.
std::vector<uint32_t> CodePointStarts(std::string_view text) {
  std::vector<uint32_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool continues = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    if (!continues) starts.push_back(static_cast<uint32_t>(i));
  }
  starts.push_back(static_cast<uint32_t>(text.size()));
  return starts;
}

void AppendTokens(const text::Tokenizer& tokenizer, const text::Encoding& encoding,
                  std::string_view text, JsonWriter& json) {
  const std::vector<uint32_t> starts = CodePointStarts(text);
  json.BeginArray();
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    const bool special = encoding.special[i];
    const auto [begin, end] = encoding.offsets[i];
    json.BeginObject().Key("id").Int(encoding.ids[i]).Key("text");
    json.String(special ? tokenizer.PieceOf(encoding.ids[i])
                        : text.substr(starts[begin], starts[end] - starts[begin]));
    json.Key("special").Bool(special).Key("start");
    special ? json.Null() : json.Int(begin);
    json.Key("stop");
    special ? json.Null() : json.Int(end);
    json.EndObject();
  }
  json.EndArray();
}

absl::StatusOr<std::string> AnswerTei(const JsonBody& body, const element& inputs,
                                      const Model& model, int items_max) {
  ASSIGN_OR_RETURN(const text::EncodeOptions options, ReadOptions(body, model));
  ASSIGN_OR_RETURN(const auto prompt, ReadPrompt(body, model));
  ASSIGN_OR_RETURN(const std::vector<std::string_view> texts, ReadTexts(inputs, items_max));
  std::size_t bytes = prompt ? prompt->text.size() * texts.size() : 0;
  for (const std::string_view text : texts) bytes += text.size();
  RETURN_IF_ERROR(CheckSize("inputs", bytes));
  std::string answer;
  JsonWriter json(answer);
  json.BeginArray();
  for (const std::string_view text : texts) {
    const std::string whole = (prompt ? prompt->text : "") + std::string(text);
    ASSIGN_OR_RETURN(
        const text::Encoding encoding,
        model.served.tokenizer->EncodeInDetail(whole, std::nullopt, options, ThreadScratch()));
    AppendTokens(*model.served.tokenizer, encoding, whole, json);
  }
  json.EndArray();
  return answer;
}

absl::StatusOr<std::string> AnswerVllm(const JsonBody& body, std::string_view prompt,
                                       const Model& model) {
  ASSIGN_OR_RETURN(const text::EncodeOptions options, ReadOptions(body, model));
  ASSIGN_OR_RETURN(const auto strings, body.Bool("return_token_strs"));
  RETURN_IF_ERROR(CheckSize("prompt", prompt.size()));
  const text::Tokenizer& tokenizer = *model.served.tokenizer;
  std::vector<int32_t> ids;
  tokenizer.Encode(prompt, options, ThreadScratch(), ids);
  std::string answer;
  JsonWriter json(answer);
  json.BeginObject().Key("count").Int(std::ssize(ids));
  json.Key("max_model_len").Int(model.info().max_length).Key("tokens").BeginArray();
  for (const int32_t id : ids) json.Int(id);
  json.EndArray().Key("token_strs");
  if (!strings.value_or(false)) {
    json.Null();
  } else {
    json.BeginArray();
    for (const int32_t id : ids) json.String(tokenizer.PieceOf(id));
    json.EndArray();
  }
  json.EndObject();
  return answer;
}

absl::StatusOr<array> ReadArray(const JsonBody& body, std::string_view field) {
  const auto value = body.Find(field);
  if (!value) return Failure(Cause::kValidation, field, "missing");
  array list;
  if (value->get(list)) return WrongType(field, "a list of token ids", *value);
  return list;
}

}  // namespace

absl::StatusOr<std::string> AnswerTokenize(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(const Model* model, FindModel(body, context));
  if (const auto inputs = body.Find("inputs")) {
    return AnswerTei(body, *inputs, *model, context.limits.items_max);
  }
  if (body.Find("messages")) {
    return Failure(Cause::kValidation, "messages",
                   "chat templates are not supported, expected inputs or prompt");
  }
  ASSIGN_OR_RETURN(const auto prompt, body.String("prompt"));
  if (prompt) return AnswerVllm(body, *prompt, *model);
  return Failure(Cause::kValidation, "inputs", "missing (vLLM's shape has prompt instead)");
}

absl::StatusOr<std::string> AnswerDecode(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(const Model* model, FindModel(body, context));
  ASSIGN_OR_RETURN(const auto skip, body.Bool("skip_special_tokens"));
  ASSIGN_OR_RETURN(const array list, ReadArray(body, "ids"));
  const int vocabulary = model->served.tokenizer->vocabulary_size();
  std::string answer;
  JsonWriter json(answer);
  json.BeginArray();
  const auto append = [&](array ids, ValuePath path) -> absl::Status {
    ASSIGN_OR_RETURN(const auto read, ReadIds(ids, path, vocabulary));
    json.String(model->served.tokenizer->Decode(read, skip.value_or(true)));
    return absl::OkStatus();
  };
  if (list.size() == 0 || !list.at(0).value_unsafe().is_array()) {
    RETURN_IF_ERROR(append(list, [] { return std::string("ids"); }));
    json.EndArray();
    return answer;
  }
  std::size_t index = 0;
  for (const element item : list) {
    const auto path = [&] { return fmt::format("ids[{}]", index); };
    array ids;
    if (item.get(ids)) return WrongType(path(), "a list of token ids", item);
    RETURN_IF_ERROR(append(ids, path));
    ++index;
  }
  json.EndArray();
  return answer;
}

absl::StatusOr<std::string> AnswerDetokenize(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(const Model* model, FindModel(body, context));
  ASSIGN_OR_RETURN(const array list, ReadArray(body, "tokens"));
  ASSIGN_OR_RETURN(const auto ids, ReadIds(
                                       list, [] { return std::string("tokens"); },
                                       model->served.tokenizer->vocabulary_size()));
  std::string answer;
  JsonWriter json(answer);
  json.BeginObject().Key("prompt").String(model->served.tokenizer->Decode(ids, false));
  json.EndObject();
  return answer;
}

}  // namespace ivy
