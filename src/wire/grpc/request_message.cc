#include "wire/grpc/request_message.h"

#include <fmt/format.h>

#include <utility>

#include "proto/tulip/v1/tulip.pb.h"
#include "wire/grpc/enums.h"

namespace wire {
namespace {

absl::Status CheckLengths(const InferenceRequest& request) {
  if (request.lengths.empty()) {
    return absl::InvalidArgumentError("lengths: empty, expected at least one sequence");
  }
  int64_t sum = 0;
  for (std::size_t i = 0; i < request.lengths.size(); ++i) {
    if (request.lengths[i] < 1) {
      return absl::InvalidArgumentError(
          fmt::format("lengths: sequence {}: {}, expected at least 1", i, request.lengths[i]));
    }
    sum += request.lengths[i];
  }
  if (sum != std::ssize(request.ids)) {
    return absl::InvalidArgumentError(
        fmt::format("lengths: their sum is {}, but there are {} ids", sum, request.ids.size()));
  }
  return absl::OkStatus();
}

absl::Status CheckPromptLengths(const InferenceRequest& request) {
  if (request.prompt_lengths.empty()) return absl::OkStatus();
  if (request.prompt_lengths.size() != request.lengths.size()) {
    return absl::InvalidArgumentError(
        fmt::format("prompt_lengths: {} entries, expected {}, one for each sequence",
                    request.prompt_lengths.size(), request.lengths.size()));
  }
  for (std::size_t i = 0; i < request.lengths.size(); ++i) {
    if (request.prompt_lengths[i] < 0 || request.prompt_lengths[i] > request.lengths[i]) {
      return absl::InvalidArgumentError(
          fmt::format("prompt_lengths: sequence {}: {}, expected 0 to {}", i,
                      request.prompt_lengths[i], request.lengths[i]));
    }
  }
  return absl::OkStatus();
}

}  // namespace

void FillRequest(const InferenceRequest& request, ValueType value_type,
                 tulip::v1::InferRequest& message) {
  message.set_model(request.model);
  message.set_ids(PackInts(request.ids));
  message.set_lengths(PackInts(request.lengths));
  message.set_type_ids(PackInts(request.type_ids));
  message.set_prompt_lengths(PackInts(request.prompt_lengths));
  FillOutputs(request.outputs, *message.mutable_outputs());
  message.set_normalize(request.normalize);
  message.set_value_type(static_cast<tulip::v1::ValueType>(NumberOf(value_type)));
  message.set_job(request.job);
}

absl::StatusOr<ReceivedRequest> ReadRequest(const tulip::v1::InferRequest& message) {
  ReceivedRequest received;
  InferenceRequest& request = received.request;
  request.model = message.model();
  ASSIGN_OR_RETURN(request.ids, UnpackInts(message.ids(), "ids"));
  ASSIGN_OR_RETURN(request.lengths, UnpackInts(message.lengths(), "lengths"));
  ASSIGN_OR_RETURN(request.type_ids, UnpackInts(message.type_ids(), "type_ids"));
  ASSIGN_OR_RETURN(request.prompt_lengths, UnpackInts(message.prompt_lengths(), "prompt_lengths"));
  RETURN_IF_ERROR(CheckLengths(request));
  if (!request.type_ids.empty() && request.type_ids.size() != request.ids.size()) {
    return absl::InvalidArgumentError(
        fmt::format("type_ids: {} entries, expected {}, one for each id", request.type_ids.size(),
                    request.ids.size()));
  }
  RETURN_IF_ERROR(CheckPromptLengths(request));
  ASSIGN_OR_RETURN(request.outputs, ReadOutputs(message.outputs(), "outputs"));
  if (request.outputs.empty()) {
    return absl::InvalidArgumentError("outputs: empty, expected at least one");
  }
  request.normalize = !message.has_normalize() || message.normalize();
  request.job = message.job();
  ASSIGN_OR_RETURN(received.value_type, ReadValueType(message.value_type(), "value_type"));
  return received;
}

}  // namespace wire
