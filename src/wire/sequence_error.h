#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "common/status.h"

namespace wire {

/// An error that one sequence of a request caused, counted within the request: its message begins
/// with "sequence 3: ", which survives the way over gRPC.
absl::Status SequenceError(absl::StatusCode code, std::size_t sequence, std::string_view message);

/// What such an error says.
struct SequenceFault {
  std::size_t sequence = 0;
  std::string_view message;  ///< Without the sequence; of the status that was parsed.
};

/// Nothing for any other status.
std::optional<SequenceFault> ParseSequenceError(const absl::Status& status);

}  // namespace wire
