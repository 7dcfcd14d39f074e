#include "tokenize.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "common/json.h"
#include "text/tokenizer.h"

namespace {

struct Input {
  std::string text;
  std::optional<std::string> pair;
};

absl::StatusOr<Input> ReadInput(const std::string& line, const std::string& name) {
  ASSIGN_OR_RETURN(const nlohmann::json json, common::ParseJson(line, name));
  if (!json.is_object() || !json.contains("text") || !json["text"].is_string()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected an object with a string \"text\"", name));
  }
  Input input{json["text"].get<std::string>(), std::nullopt};
  const auto pair = json.find("pair");
  if (pair == json.end() || pair->is_null()) return input;
  if (!pair->is_string()) {
    return absl::InvalidArgumentError(fmt::format("{}: expected \"pair\" to be a string", name));
  }
  input.pair = pair->get<std::string>();
  return input;
}

absl::StatusOr<text::EncodeOptions> ReadEncodeOptions(const TokenizeOptions& options,
                                                      const text::Tokenizer& tokenizer) {
  text::EncodeOptions encode = {.add_special_tokens = !options.no_special,
                                .max_length = options.max_length,
                                .match_special_tokens = !options.plain_special};
  const int specials = options.no_special ? 0 : tokenizer.special_tokens();
  if (options.max_length < 0 || (options.max_length != 0 && options.max_length < specials)) {
    return absl::InvalidArgumentError(
        fmt::format("--max-length {}: expected 0 (no limit) or at least the {} special tokens",
                    options.max_length, specials));
  }
  if (options.truncation_side == "left") encode.truncation_side = text::TruncationSide::kLeft;
  if (options.strategy == "only_first") {
    encode.truncation_strategy = text::TruncationStrategy::kOnlyFirst;
  } else if (options.strategy == "only_second") {
    encode.truncation_strategy = text::TruncationStrategy::kOnlySecond;
  }
  return encode;
}

/// One tokenizer with the options of all its calls.
class Command {
 public:
  Command(const text::Tokenizer& tokenizer, const text::EncodeOptions& options)
      : tokenizer_(tokenizer), options_(options) {}

  /// The encoding, whose ids are those of the path that serving takes. Internal: the path that
  /// follows offsets gives others, which is a fault of the tokenizer.
  absl::StatusOr<text::Encoding> Encode(const Input& input) {
    ids_.clear();
    type_ids_.clear();
    if (input.pair) {
      RETURN_IF_ERROR(
          tokenizer_.EncodePair(input.text, *input.pair, options_, scratch_, ids_, type_ids_)
              .status());
    } else {
      tokenizer_.Encode(input.text, options_, scratch_, ids_);
    }
    ASSIGN_OR_RETURN(text::Encoding encoding,
                     tokenizer_.EncodeInDetail(input.text, input.pair, options_, scratch_));
    if (encoding.ids != ids_ || (input.pair && encoding.type_ids != type_ids_)) {
      return absl::InternalError("ids with offsets differ from those without");
    }
    return encoding;
  }

 private:
  const text::Tokenizer& tokenizer_;
  const text::EncodeOptions options_;
  text::Scratch scratch_;
  std::vector<int32_t> ids_, type_ids_;
};

void WriteTable(const text::Encoding& encoding, const text::Tokenizer& tokenizer,
                std::ostream& out) {
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    const auto& [begin, end] = encoding.offsets[i];
    out << fmt::format("{}\t{}\t{}-{}\n", encoding.ids[i], tokenizer.PieceOf(encoding.ids[i]),
                       begin, end);
  }
}

void WriteLine(const absl::StatusOr<text::Encoding>& encoding, std::ostream& out) {
  nlohmann::ordered_json line;
  if (encoding.ok()) {
    line["ids"] = encoding->ids;
    line["type_ids"] = encoding->type_ids;
    line["offsets"] = nlohmann::json::array();
    for (const auto& [begin, end] : encoding->offsets) line["offsets"].push_back({begin, end});
  } else {
    line["error"] = std::string(encoding.status().message());
  }
  out << line.dump() << '\n';
}

}  // namespace

absl::Status RunTokenize(const TokenizeOptions& options, std::istream& in, std::ostream& out) {
  if (options.jsonl == options.text.has_value()) {
    return absl::InvalidArgumentError("tokenize: expected either a text or --jsonl");
  }
  ASSIGN_OR_RETURN(const auto tokenizer, text::Tokenizer::FromFileOrFolder(options.tokenizer));
  ASSIGN_OR_RETURN(const text::EncodeOptions encode, ReadEncodeOptions(options, *tokenizer));
  Command command(*tokenizer, encode);
  if (!options.jsonl) {
    if (!text::IsValidUtf8(*options.text)) {
      return absl::InvalidArgumentError("tokenize: the text is not UTF-8");
    }
    ASSIGN_OR_RETURN(const text::Encoding encoding, command.Encode({*options.text, std::nullopt}));
    WriteTable(encoding, *tokenizer, out);
    return absl::OkStatus();
  }
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const std::string name = fmt::format("line {}", number);
    ASSIGN_OR_RETURN(const Input input, ReadInput(line, name));
    const absl::StatusOr<text::Encoding> encoding = command.Encode(input);
    if (absl::IsInternal(encoding.status())) {
      return absl::InternalError(
          fmt::format("{}: {}", name, std::string(encoding.status().message())));
    }
    WriteLine(encoding, out);
  }
  return absl::OkStatus();
}
