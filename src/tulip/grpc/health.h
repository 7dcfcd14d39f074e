#pragma once

#include <atomic>
#include <vector>

#include "wire/inference.h"

namespace grpc {
class HealthCheckServiceInterface;
}

namespace tulip {

/// What grpc.health.v1 says of each model and, under "", of the server: SERVING until a model's
/// client is no longer healthy, which is for good, or the server drains. Any thread.
class Health {
 public:
  /// `models` outlive it. Before Attach it tells nobody.
  explicit Health(const std::vector<wire::InferenceClient*>& models) : models_(models) {}

  /// `service` outlives the calls of Observe. One thread, once.
  void Attach(grpc::HealthCheckServiceInterface& service);
  /// Looks at a model that has just failed a request.
  void Observe(const wire::InferenceClient& model);
  void BeginDrain();

 private:
  const std::vector<wire::InferenceClient*> models_;
  std::atomic<grpc::HealthCheckServiceInterface*> service_{nullptr};
};

}  // namespace tulip
