#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/status.h"

namespace hub {

/// What a reranker that is a language model reads for a pair: prefix, body and suffix are tokenized
/// apart and joined; only the body is ever cut.
struct RerankTemplate {
  std::string prefix;
  /// Holds the placeholders {query} and {document}, and {instruction}, which may be left out where
  /// default_instruction is empty.
  std::string body;
  std::string suffix;
  std::string default_instruction;

  /// The body with its placeholders filled; what is filled in is not looked at again.
  std::string Body(std::string_view instruction, std::string_view query,
                   std::string_view document) const;
};

/// The one of Qwen3-Reranker (QwenLM/Qwen3-Embedding, README).
const RerankTemplate& Qwen3RerankTemplate();

/// A JSON object with the four texts. Errors name the file and the key: a text that is missing or
/// unknown, a placeholder that the body lacks or that means nothing.
absl::StatusOr<RerankTemplate> ReadRerankTemplate(const std::filesystem::path& file);

}  // namespace hub
