#pragma once

#include <cstdint>
#include <string_view>

#include "common/status.h"

namespace bench {

/// What an answer of /v1/embeddings holds.
struct AnswerShape {
  int rows = 0;
  int dimensions = 0;  ///< Of every row.
  int64_t tokens = 0;  ///< usage.prompt_tokens; 0 if the server does not say.
};

/// Counts the base64 vectors of `body` by looking for their keys: it runs between two requests of a
/// client, where reading JSON in earnest would take longer than some servers need. Rows of unequal
/// length, or that are not base64 strings, are errors that name the row.
absl::StatusOr<AnswerShape> ReadAnswer(std::string_view body);

}  // namespace bench
