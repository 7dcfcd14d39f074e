#include "tulip/grpc/infer_call.h"

#include <fmt/format.h>
#include <grpcpp/server_context.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/log.h"
#include "proto/tulip/v1/tulip.pb.h"
#include "wire/grpc/call_metadata.h"
#include "wire/grpc/request_message.h"
#include "wire/grpc/result_message.h"
#include "wire/grpc/status.h"

namespace tulip {

InferCall::InferCall(grpc::CallbackServerContext& context, v1::InferResponse& answer,
                     int64_t answer_bytes_max, Health& health, CallGate& gate)
    : context_(context),
      answer_(answer),
      answer_bytes_max_(answer_bytes_max),
      health_(health),
      gate_(gate),
      request_id_(wire::RequestIdOf(context)) {}

void InferCall::Start(const ModelDirectory& directory, const v1::InferRequest& message) {
  const absl::StatusOr<wire::InferenceClient*> model = directory.Find(message.model());
  if (!model.ok()) return Finish(wire::ToGrpcStatus(model.status()));
  absl::StatusOr<wire::InferenceRequest> request = Read(message);
  if (!request.ok()) return Finish(wire::ToGrpcStatus(request.status()));
  model_ = *model;
  model_->Infer(*std::move(request),
                [this](const absl::StatusOr<wire::InferenceResult>& result) { Answer(result); });
}

void InferCall::OnDone() {
  CallGate& gate = gate_;
  delete this;
  gate.Leave();
}

absl::StatusOr<wire::InferenceRequest> InferCall::Read(const v1::InferRequest& message) {
  ASSIGN_OR_RETURN(wire::ReceivedRequest received, wire::ReadRequest(message));
  value_type_ = received.value_type;
  received.request.deadline = wire::ToSteady(context_.deadline());
  received.request.cancel = cancel_;
  received.request.request_id = request_id_;
  return std::move(received.request);
}

void InferCall::Answer(const absl::StatusOr<wire::InferenceResult>& result) {
  const absl::Status status = result.ok() ? Fill(*result) : result.status();
  if (absl::IsInternal(status)) {
    spdlog::warn("{}: request {}: {}", model_->Info().name,
                 request_id_.empty() ? "without an id" : request_id_,
                 std::string(status.message()));
    health_.Observe(*model_);
  }
  Finish(wire::ToGrpcStatus(status));
}

/// A message over the limit would end as RESOURCE_EXHAUSTED, which asks to be tried again.
absl::Status InferCall::Fill(const wire::InferenceResult& result) {
  wire::FillResult(result, value_type_, answer_);
  const auto bytes = static_cast<int64_t>(answer_.ByteSizeLong());
  if (bytes <= answer_bytes_max_) return absl::OkStatus();
  answer_.Clear();
  return absl::InternalError(
      fmt::format("the answer takes {} bytes, more than the {} of a message (--max-message-mib)",
                  bytes, answer_bytes_max_));
}

}  // namespace tulip
