#include "hub/rerank_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/json.h"
#include "common/json_view.h"
#include "hub/config.h"

namespace hub {
namespace {

constexpr std::string_view kInstruction = "{instruction}";
constexpr std::string_view kQuery = "{query}";
constexpr std::string_view kDocument = "{document}";

/// The next word in braces from `start` on, braces included; empty at the end if there is none.
/// Braces around anything but letters and '_' are text.
std::string_view NextPlaceholder(std::string_view body, std::size_t start) {
  for (std::size_t open = body.find('{', start); open != body.npos;
       open = body.find('{', open + 1)) {
    std::size_t end = open + 1;
    while (end < body.size() &&
           (std::isalpha(static_cast<unsigned char>(body[end])) != 0 || body[end] == '_')) {
      ++end;
    }
    if (end > open + 1 && end < body.size() && body[end] == '}') {
      return body.substr(open, end + 1 - open);
    }
  }
  return body.substr(body.size());
}

absl::Status CheckPlaceholders(const common::JsonView& json, const RerankTemplate& text) {
  ASSIGN_OR_RETURN(const common::JsonView body, json.Member("body"));
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at < text.body.size();) {
    const std::string_view placeholder = NextPlaceholder(text.body, at);
    at = static_cast<std::size_t>(placeholder.data() - text.body.data()) + placeholder.size();
    if (!placeholder.empty()) found.push_back(placeholder);
  }
  for (const std::string_view placeholder : found) {
    if (placeholder == kInstruction || placeholder == kQuery || placeholder == kDocument) continue;
    return body.Error(fmt::format("unknown placeholder {}, expected {}, {} and {}", placeholder,
                                  kInstruction, kQuery, kDocument));
  }
  for (const std::string_view needed : {kInstruction, kQuery, kDocument}) {
    if (needed == kInstruction && text.default_instruction.empty()) continue;
    if (std::find(found.begin(), found.end(), needed) == found.end()) {
      return body.Error(fmt::format("the placeholder {} is missing", needed));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string RerankTemplate::Body(std::string_view instruction, std::string_view query,
                                 std::string_view document) const {
  std::string filled;
  const std::string_view text = body;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view placeholder = NextPlaceholder(text, at);
    const auto open = static_cast<std::size_t>(placeholder.data() - text.data());
    filled += text.substr(at, open - at);
    if (placeholder == kInstruction) {
      filled += instruction;
    } else if (placeholder == kQuery) {
      filled += query;
    } else if (placeholder == kDocument) {
      filled += document;
    }
    at = open + placeholder.size();
  }
  return filled;
}

const RerankTemplate& Qwen3RerankTemplate() {
  static const auto* const kTemplate = new RerankTemplate{
      .prefix =
          "<|im_start|>system\nJudge whether the Document meets the requirements based on "
          "the Query and the Instruct provided. Note that the answer can only be \"yes\" or "
          "\"no\".<|im_end|>\n<|im_start|>user\n",
      .body = "<Instruct>: {instruction}\n<Query>: {query}\n<Document>: {document}",
      .suffix = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n",
      .default_instruction =
          "Given a web search query, retrieve relevant passages that answer the query"};
  return *kTemplate;
}

absl::StatusOr<RerankTemplate> ReadRerankTemplate(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const nlohmann::json document, common::ReadJsonFile(file));
  const std::string name = file.filename().string();
  const common::JsonView json(document, name);
  RETURN_IF_ERROR(json.ExpectKeys({"prefix", "body", "suffix", "default_instruction"}));
  RerankTemplate text;
  ASSIGN_OR_RETURN(text.prefix, json.String("prefix"));
  ASSIGN_OR_RETURN(text.body, json.String("body"));
  ASSIGN_OR_RETURN(text.suffix, json.String("suffix"));
  ASSIGN_OR_RETURN(text.default_instruction, json.String("default_instruction"));
  RETURN_IF_ERROR(CheckPlaceholders(json, text));
  return text;
}

}  // namespace hub
