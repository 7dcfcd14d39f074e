#pragma once

#include <google/protobuf/repeated_field.h>

#include <string_view>

#include "common/status.h"
#include "hub/outputs.h"
#include "wire/grpc/packed.h"

// The protocol's enumerations. A number that this program does not know is an InvalidArgument,
// which names the field.

namespace wire {

using OutputNumbers = google::protobuf::RepeatedField<int>;

void FillOutputs(hub::Outputs outputs, OutputNumbers& numbers);
/// Empty where `numbers` are.
absl::StatusOr<hub::Outputs> ReadOutputs(const OutputNumbers& numbers, std::string_view field);

int NumberOf(ValueType type);
absl::StatusOr<ValueType> ReadValueType(int number, std::string_view field);

}  // namespace wire
