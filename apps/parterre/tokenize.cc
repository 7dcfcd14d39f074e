#include "tokenize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "common/json.h"
#include "text/tokenizer.h"

namespace {

absl::StatusOr<std::string> ReadText(const std::string& line, std::size_t number) {
  const std::string name = fmt::format("line {}", number);
  ASSIGN_OR_RETURN(const nlohmann::json json, common::ParseJson(line, name));
  const auto text = json.find("text");
  if (!json.is_object() || text == json.end() || !text->is_string()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected an object with a string \"text\"", name));
  }
  return text->get<std::string>();
}

}  // namespace

absl::Status RunTokenize(const TokenizeOptions& options, std::istream& in, std::ostream& out) {
  if (options.jsonl == options.text.has_value()) {
    return absl::InvalidArgumentError("tokenize: expected either a text or --jsonl");
  }
  std::error_code unknown;  // FromFile says what is wrong
  const bool is_folder = std::filesystem::is_directory(options.tokenizer, unknown);
  ASSIGN_OR_RETURN(const auto tokenizer,
                   text::Tokenizer::FromFile(is_folder ? options.tokenizer / "tokenizer.json"
                                                       : options.tokenizer));
  text::Scratch scratch;
  std::vector<int32_t> ids;
  const auto write = [&](std::string_view text) {
    ids.clear();
    tokenizer->Encode(text, {.add_special_tokens = !options.no_special}, scratch, ids);
    out << fmt::format("{{\"ids\":[{}]}}\n", fmt::join(ids, ","));
  };
  if (!options.jsonl) {
    if (!text::IsValidUtf8(*options.text)) {
      return absl::InvalidArgumentError("tokenize: the text is not UTF-8");
    }
    write(*options.text);
    return absl::OkStatus();
  }
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    ASSIGN_OR_RETURN(const std::string text, ReadText(line, number));
    write(text);
  }
  return absl::OkStatus();
}
