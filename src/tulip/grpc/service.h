#pragma once

#include <cstdint>
#include <vector>

#include "common/metrics.h"
#include "common/trace/tracer.h"
#include "proto/tulip/v1/tulip.grpc.pb.h"
#include "tulip/grpc/call_gate.h"
#include "tulip/grpc/call_metrics.h"
#include "tulip/grpc/health.h"
#include "tulip/grpc/model_directory.h"

namespace tulip {

struct ServiceOptions {
  int64_t answer_bytes_max = 0;        ///< What a message may hold.
  const common::Tracer& tracer;        ///< Outlives the service.
  common::Metrics* metrics = nullptr;  ///< Null: nobody counts calls.
};

/// The calls of proto/tulip/v1/tulip.proto over the models' clients. Nothing blocks gRPC's threads:
/// an answer is given by whoever completes the request.
class Service final : public v1::Tulip::CallbackService {
 public:
  /// `models` as for ModelDirectory.
  Service(const std::vector<wire::InferenceClient*>& models, const ServiceOptions& options)
      : directory_(models),
        health_(models),
        options_(options),
        infer_metrics_(options.metrics, "Infer"),
        info_metrics_(options.metrics, "Info") {}

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
  const ServiceOptions options_;
  CallMetrics infer_metrics_;
  CallMetrics info_metrics_;
};

}  // namespace tulip
