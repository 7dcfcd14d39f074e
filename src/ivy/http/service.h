#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/trace/tracer.h"
#include "ivy/http/api_keys.h"
#include "ivy/http/cors.h"
#include "ivy/http/exchange.h"
#include "ivy/http/router.h"

namespace ivy {

struct ServiceOptions {
  std::shared_ptr<const ApiKeys> api_keys;                ///< Null: none asked for.
  std::vector<std::string> cors_origins = {"*"};          ///< Empty: no cross-origin reading.
  const common::Tracer* tracer = &common::Tracer::Off();  ///< Outlives the service.
};

/// The wrapper around every endpoint: routes, methods, API key, CORS, request id, trace, error
/// shapes and metrics. Endpoints know none of them. Any thread after construction.
class Service final : public Handler {
 public:
  Service(ServiceOptions options, std::unique_ptr<Router> router);

  void Open(Exchange& exchange) override;
  bool Admit(Exchange& exchange) override;
  void Serve(const std::shared_ptr<Exchange>& exchange) override;
  Response Tell(const Exchange& exchange, const absl::Status& failure) override;
  void Seal(Exchange& exchange, Response& response) override;

 private:
  absl::Status Check(const Exchange& exchange) const;

  const ServiceOptions options_;
  const Cors cors_;
  const std::unique_ptr<Router> router_;
};

}  // namespace ivy
