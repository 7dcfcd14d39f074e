#pragma once

#include <cstdint>
#include <vector>

#include "proto/tulip/v1/tulip.grpc.pb.h"
#include "tulip/grpc/call_gate.h"
#include "tulip/grpc/health.h"
#include "tulip/grpc/model_directory.h"

namespace tulip {

/// The calls of proto/tulip/v1/tulip.proto over the models' clients. Nothing blocks gRPC's threads:
/// an answer is given by whoever completes the request.
class Service final : public v1::Tulip::CallbackService {
 public:
  /// `models` as for ModelDirectory. `answer_bytes_max` is what a message may hold.
  Service(const std::vector<wire::InferenceClient*>& models, int64_t answer_bytes_max)
      : directory_(models), health_(models), answer_bytes_max_(answer_bytes_max) {}

  grpc::ServerUnaryReactor* Infer(grpc::CallbackServerContext* context,
                                  const v1::InferRequest* message,
                                  v1::InferResponse* answer) override;
  grpc::ServerUnaryReactor* Info(grpc::CallbackServerContext* context,
                                 const v1::InfoRequest* message, v1::InfoResponse* answer) override;

  Health& health() { return health_; }
  /// Closed, it makes Infer Unavailable.
  CallGate& gate() { return gate_; }

 private:
  const ModelDirectory directory_;
  Health health_;
  CallGate gate_;
  const int64_t answer_bytes_max_;
};

}  // namespace tulip
