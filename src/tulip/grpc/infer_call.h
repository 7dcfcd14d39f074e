#pragma once

#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <memory>
#include <string>

#include "common/status.h"
#include "common/trace/tracer.h"
#include "tulip/grpc/call_gate.h"
#include "tulip/grpc/call_metrics.h"
#include "tulip/grpc/health.h"
#include "tulip/grpc/model_directory.h"
#include "wire/grpc/packed.h"
#include "wire/inference.h"

namespace tulip::v1 {
class InferRequest;
class InferResponse;
}  // namespace tulip::v1

namespace tulip {

/// What the calls of a server share; all of it outlives them.
struct InferCallContext {
  int64_t answer_bytes_max = 0;
  const common::Tracer& tracer;
  CallMetrics& metrics;
  Health& health;
  CallGate& gate;
};

/// One Infer from its message to its answer. gRPC ends it with OnDone, which comes once the answer
/// was given and gRPC has no more to say of the call; it deletes itself then.
class InferCall final : public grpc::ServerUnaryReactor {
 public:
  /// Context and answer are the call's, which has passed the gate.
  InferCall(grpc::CallbackServerContext& context, v1::InferResponse& answer,
            const InferCallContext& shared);

  /// Hands the request to its model, or finishes at once. Called once.
  void Start(const ModelDirectory& directory, const v1::InferRequest& message);

  /// The caller is gone, or the deadline has passed: what waits is dropped before it is batched.
  void OnCancel() override { cancel_->Cancel(); }
  void OnDone() override;

 private:
  absl::StatusOr<wire::InferenceRequest> Read(const v1::InferRequest& message);
  void Answer(const absl::StatusOr<wire::InferenceResult>& result);
  absl::Status Fill(const wire::InferenceResult& result);
  void End(const absl::Status& status);

  grpc::CallbackServerContext& context_;
  v1::InferResponse& answer_;
  const InferCallContext shared_;
  const std::shared_ptr<wire::CancelToken> cancel_ = std::make_shared<wire::CancelToken>();
  const std::string request_id_;
  common::Span span_;
  wire::InferenceClient* model_ = nullptr;
  wire::ValueType value_type_ = wire::ValueType::kFloat32;
};

}  // namespace tulip
