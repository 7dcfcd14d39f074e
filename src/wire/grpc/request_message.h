#pragma once

#include "common/status.h"
#include "wire/grpc/packed.h"
#include "wire/inference.h"

namespace tulip::v1 {
class InferRequest;
}

namespace wire {

/// An InferRequest read: deadline, cancellation and id are those of the call that it came with.
struct ReceivedRequest {
  InferenceRequest request;
  ValueType value_type = ValueType::kFloat32;  ///< Of the answer.
};

/// Fills `message`, which is empty.
void FillRequest(const InferenceRequest& request, ValueType value_type,
                 tulip::v1::InferRequest& message);

/// Every rule of the protocol that holds whatever the model is. InvalidArgument names the field and
/// what is wrong with it. Allocates as much as the message holds, whatever it claims.
absl::StatusOr<ReceivedRequest> ReadRequest(const tulip::v1::InferRequest& message);

}  // namespace wire
