#pragma once

#include "common/status.h"
#include "wire/grpc/packed.h"
#include "wire/inference.h"

namespace tulip::v1 {
class InferResponse;
}

namespace wire {

/// Fills `message`, which is empty, with the outputs that are in `result`.
void FillResult(const InferenceResult& result, ValueType value_type,
                tulip::v1::InferResponse& message);

/// The rules of the protocol: rows, columns and values that go together, all of them finite.
/// InvalidArgument names the field and what is wrong with it. Allocates in the order of what the
/// message holds, whatever it claims. Which outputs there are and how wide they should be, the
/// caller knows.
absl::StatusOr<InferenceResult> ReadResult(const tulip::v1::InferResponse& message);

}  // namespace wire
