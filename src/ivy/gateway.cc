#include "ivy/gateway.h"

#include <utility>

namespace ivy {

struct Gateway::Parts {
  std::shared_ptr<Api> api;
  std::unique_ptr<Server> server;
};

absl::StatusOr<std::unique_ptr<Gateway>> Gateway::Create(const GatewayOptions& options,
                                                         std::vector<ServedModel> models,
                                                         common::Metrics& metrics) {
  auto parts = std::make_unique<Parts>();
  ApiOptions api = options.api;
  api.runner.text_bytes_max = 2 * options.server.limits.body_bytes_max;
  ASSIGN_OR_RETURN(parts->api, Api::Create(api, std::move(models), metrics));
  auto router = std::make_unique<Router>(metrics);
  parts->api->AddRoutes(*router);
  const auto service = std::make_shared<Service>(options.service, std::move(router));
  ASSIGN_OR_RETURN(parts->server,
                   Server::Create(options.server, service,
                                  metrics.Gauge("parterre_connections", "Open connections.")));
  return std::unique_ptr<Gateway>(new Gateway(std::move(parts)));
}

Gateway::Gateway(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Gateway::~Gateway() {
  parts_->server.reset();
  // Here rather than with the last reference, which a pool thread may hold.
  parts_->api->Stop();
}

int Gateway::port() const { return parts_->server->port(); }

absl::Status Gateway::ReloadTls() { return parts_->server->ReloadTls(); }

void Gateway::BeginDrain() { parts_->api->BeginDrain(); }

void Gateway::StopAccepting() { parts_->server->StopAccepting(); }

bool Gateway::Wait(common::TimePoint deadline) { return parts_->server->Wait(deadline); }

}  // namespace ivy
