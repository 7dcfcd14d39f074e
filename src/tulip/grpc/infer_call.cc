#include "tulip/grpc/infer_call.h"

#include <fmt/format.h>
#include <grpcpp/server_context.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/log.h"
#include "proto/tulip/v1/tulip.pb.h"
#include "wire/grpc/call_metadata.h"
#include "wire/grpc/call_span.h"
#include "wire/grpc/request_message.h"
#include "wire/grpc/result_message.h"
#include "wire/grpc/status.h"

namespace tulip {

namespace {

/// Whether a call that ended so is a failure of the server's, by OpenTelemetry's conventions for
/// gRPC: what the caller did wrong, or gave up, is none.
bool IsServerFailure(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::UNKNOWN:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::UNIMPLEMENTED:
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DATA_LOSS:
      return true;
    default:
      return false;
  }
}

}  // namespace

InferCall::InferCall(grpc::CallbackServerContext& context, v1::InferResponse& answer,
                     const InferCallContext& shared)
    : context_(context),
      answer_(answer),
      shared_(shared),
      request_id_(wire::RequestIdOf(context)),
      span_(shared.tracer.Enter(wire::TraceOf(context), common::SpanKind::kServer,
                                common::Clock::Steady().Now())) {}

void InferCall::Start(const ModelDirectory& directory, const v1::InferRequest& message) {
  const absl::StatusOr<wire::InferenceClient*> model = directory.Find(message.model());
  if (!model.ok()) return End(model.status());
  absl::StatusOr<wire::InferenceRequest> request = Read(message);
  if (!request.ok()) return End(request.status());
  model_ = *model;
  model_->Infer(*std::move(request),
                [this](const absl::StatusOr<wire::InferenceResult>& result) { Answer(result); });
}

void InferCall::OnDone() {
  CallGate& gate = shared_.gate;
  delete this;
  gate.Leave();
}

absl::StatusOr<wire::InferenceRequest> InferCall::Read(const v1::InferRequest& message) {
  ASSIGN_OR_RETURN(wire::ReceivedRequest received, wire::ReadRequest(message));
  value_type_ = received.value_type;
  received.request.deadline = wire::ToSteady(context_.deadline());
  received.request.cancel = cancel_;
  received.request.request_id = request_id_;
  received.request.trace = span_.trace();
  return std::move(received.request);
}

void InferCall::Answer(const absl::StatusOr<wire::InferenceResult>& result) {
  const absl::Status status = result.ok() ? Fill(*result) : result.status();
  if (absl::IsInternal(status)) {
    spdlog::warn("{}: request {}{}: {}", model_->Info().name,
                 request_id_.empty() ? "without an id" : request_id_,
                 TraceNote(span_.trace().context), std::string(status.message()));
    shared_.health.Observe(*model_);
  }
  End(status);
}

/// The answer of every call.
void InferCall::End(const absl::Status& status) {
  const grpc::Status told = wire::ToGrpcStatus(status);
  shared_.metrics.Count(told.error_code());
  if (IsServerFailure(told.error_code())) span_.Fail(status);
  if (span_.recorded()) {
    wire::DescribeInfer(span_);
    wire::DescribeEnd(told.error_code(), span_);
    span_.Name(wire::kInferSpan)
        .Set("parterre.request_id", request_id_)
        .End(common::Clock::Steady().Now());
  }
  Finish(told);
}

/// A message over the limit would end as RESOURCE_EXHAUSTED, which asks to be tried again.
absl::Status InferCall::Fill(const wire::InferenceResult& result) {
  wire::FillResult(result, value_type_, answer_);
  const auto bytes = static_cast<int64_t>(answer_.ByteSizeLong());
  if (bytes <= shared_.answer_bytes_max) return absl::OkStatus();
  answer_.Clear();
  return absl::InternalError(
      fmt::format("the answer takes {} bytes, more than the {} of a message (--max-message-mib)",
                  bytes, shared_.answer_bytes_max));
}

}  // namespace tulip
