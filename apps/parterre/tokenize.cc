#include "tokenize.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "common/json.h"
#include "common/log.h"
#include "find_model.h"
#include "standard_streams.h"
#include "text/encode_pool.h"
#include "text/tokenizer.h"

namespace {

// Of lines that are worked on together.
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

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
struct Command {
  const text::Tokenizer& tokenizer;
  const text::EncodeOptions options;

  /// The encoding, whose ids are those of the path that serving takes. Internal: the path that
  /// follows offsets gives others, which is a fault of the tokenizer.
  absl::StatusOr<text::Encoding> Encode(const Input& input, text::Scratch& scratch) const {
    std::vector<int32_t> ids, type_ids;
    if (input.pair) {
      RETURN_IF_ERROR(
          tokenizer.EncodePair(input.text, *input.pair, options, scratch, ids, type_ids).status());
    } else {
      tokenizer.Encode(input.text, options, scratch, ids);
    }
    ASSIGN_OR_RETURN(text::Encoding encoding,
                     tokenizer.EncodeInDetail(input.text, input.pair, options, scratch));
    if (encoding.ids != ids || (input.pair && encoding.type_ids != type_ids)) {
      return absl::InternalError("ids with offsets differ from those without");
    }
    return encoding;
  }
};

void WriteTable(const text::Encoding& encoding, const text::Tokenizer& tokenizer,
                std::ostream& out) {
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    const auto& [begin, end] = encoding.offsets[i];
    out << fmt::format("{}\t{}\t{}-{}\n", encoding.ids[i], tokenizer.PieceOf(encoding.ids[i]),
                       begin, end);
  }
}

std::string AnswerOf(const absl::StatusOr<text::Encoding>& encoding) {
  nlohmann::ordered_json line;
  if (encoding.ok()) {
    line["ids"] = encoding->ids;
    line["type_ids"] = encoding->type_ids;
    line["offsets"] = nlohmann::json::array();
    for (const auto& [begin, end] : encoding->offsets) line["offsets"].push_back({begin, end});
  } else {
    line["error"] = std::string(encoding.status().message());
  }
  return line.dump();
}

/// The answer to one line of the input. Error: the line is not what it should be.
absl::StatusOr<std::string> Answer(const Command& command, const std::string& line,
                                   std::size_t number, text::Scratch& scratch) {
  const std::string name = fmt::format("line {}", number);
  ASSIGN_OR_RETURN(const Input input, ReadInput(line, name));
  const absl::StatusOr<text::Encoding> encoding = command.Encode(input, scratch);
  if (absl::IsInternal(encoding.status())) {
    return absl::InternalError(
        fmt::format("{}: {}", name, std::string(encoding.status().message())));
  }
  return AnswerOf(encoding);
}

struct Lines {
  std::vector<std::string> lines;
  absl::Status rest;  ///< Why no more can be read, unless it is that they end.
};

/// The lines that are there to be read, at least one and some MiB at most; none at the end.
Lines ReadLines(std::istream& in) {
  Lines read;
  std::size_t bytes = 0;
  try {
    in.exceptions(std::ios::badbit);  // Which have the cause.
    for (std::string line; bytes < kBatchBytes && std::getline(in, line);) {
      bytes += line.size();
      read.lines.push_back(std::move(line));
      // Whoever waits for an answer before the next line gets it.
      if (in.rdbuf()->in_avail() <= 0) break;
    }
  } catch (const std::ios::failure& failure) {
    read.rest = absl::InvalidArgumentError(
        fmt::format("tokenize: the input cannot be read: {}", failure.code().message()));
  }
  return read;
}

absl::Status TokenizeLines(const Command& command, text::EncodePool& pool, std::istream& in,
                           std::ostream& out) {
  std::vector<std::size_t> sizes;
  std::vector<absl::StatusOr<std::string>> answers;
  std::size_t before = 0;
  while (true) {
    const Lines read = ReadLines(in);
    const std::vector<std::string>& lines = read.lines;
    if (lines.empty()) return read.rest;
    sizes.clear();
    for (const std::string& line : lines) sizes.push_back(line.size());
    answers.assign(lines.size(), absl::UnknownError(""));
    pool.ForEach(sizes, [&](std::size_t i, text::Scratch& scratch) {
      answers[i] = Answer(command, lines[i], before + i + 1, scratch);
    });
    for (const absl::StatusOr<std::string>& answer : answers) {
      if (!answer.ok()) return answer.status();
      out << *answer << '\n';
    }
    RETURN_IF_ERROR(FlushOutput(out));
    RETURN_IF_ERROR(read.rest);
    before += lines.size();
  }
}

}  // namespace

absl::Status RunTokenize(const TokenizeOptions& options, std::istream& in, std::ostream& out) {
  if (options.jsonl == options.text.has_value()) {
    return absl::InvalidArgumentError("tokenize: expected either a text or --jsonl");
  }
  RETURN_IF_ERROR(common::SetUpLog(common::LogFormat::kText, "info"));
  ASSIGN_OR_RETURN(const hub::FoundModel found,
                   FindModel(options.tokenizer, options.revision, /*weights=*/false));
  ASSIGN_OR_RETURN(const auto tokenizer, text::Tokenizer::FromFileOrFolder(found.path));
  ASSIGN_OR_RETURN(const text::EncodeOptions encode, ReadEncodeOptions(options, *tokenizer));
  const Command command{*tokenizer, encode};
  if (options.jsonl) {
    text::EncodePool pool(options.threads);
    return TokenizeLines(command, pool, in, out);
  }
  if (!text::IsValidUtf8(*options.text)) {
    return absl::InvalidArgumentError("tokenize: the text is not UTF-8");
  }
  text::Scratch scratch;
  ASSIGN_OR_RETURN(const text::Encoding encoding,
                   command.Encode({*options.text, std::nullopt}, scratch));
  WriteTable(encoding, *tokenizer, out);
  return absl::OkStatus();
}
