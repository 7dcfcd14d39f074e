#pragma once

#include <array>
#include <string>
#include <string_view>

#include "common/status.h"

namespace ivy {

/// Why a request failed. Every error that leaves Ivy has one; it decides status code, error type
/// and metric label. The table is in cause.cc.
enum class Cause {
  kMalformed,     ///< Not HTTP, not JSON, cut off.
  kValidation,    ///< A field is wrong.
  kEmpty,         ///< Nothing to embed.
  kTooManyItems,  ///< More inputs than --max-client-batch-size.
  kTooLong,       ///< More tokens than the model takes, truncation off.
  kModel,         ///< A model that is not served.
  kModelKind,     ///< A model that does not give what the route asks for.
  kUnauthorized,
  kRoute,
  kMethod,
  kPayload,  ///< Body larger than --payload-limit.
  kMediaType,
  kHeaders,  ///< Head larger than the limit.
  kSlowClient,
  kOverloaded,
  kDeadline,
  kUnhealthy,
  kBackend,    ///< The forward pass failed.
  kCancelled,  ///< The client went away.
  kUnsupported,
};
inline constexpr int kCauses = static_cast<int>(Cause::kUnsupported) + 1;

/// Shape of the errors of a route.
enum class Dialect {
  kOpenAi,  ///< {"error":{"message","type","param","code"}}
  kTei,     ///< {"error","error_type"}
};

struct CauseInfo {
  Cause cause;
  const char* label;  ///< Of the metric; also the OpenAI `code` where that API has no word.
  absl::StatusCode code;
  int openai_status;
  const char* openai_type;
  const char* openai_code;  ///< Null: JSON null.
  int tei_status;
  const char* tei_type;
};

const CauseInfo& InfoOf(Cause cause);

/// An error of a given cause. `param` is the path of the field ("input[3]"), may be empty;
/// `message` is whole without it and says what was expected.
absl::Status Failure(Cause cause, std::string_view param, std::string_view message);
inline absl::Status Failure(Cause cause, std::string_view message) {
  return Failure(cause, {}, message);
}

/// What a message quotes of the client's text: at most 80 bytes, no character cut in two.
std::string_view Excerpt(std::string_view text);

/// The cause given to Failure; for any other status (of the inference client, say) the one that its
/// code stands for.
Cause CauseOf(const absl::Status& status);

/// The field given to Failure, or "".
std::string ParamOf(const absl::Status& status);

/// The JSON body of an error, in the dialect's shape.
std::string ErrorBody(Dialect dialect, const absl::Status& status);

}  // namespace ivy
