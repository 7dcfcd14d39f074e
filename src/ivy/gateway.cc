#include "ivy/gateway.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "ivy/api/api.h"
#include "ivy/http/service.h"
#include "ivy/net/server.h"

namespace ivy {
namespace {

int Share(int asked, unsigned divisor, int low, int high) {
  if (asked > 0) return asked;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency() / divisor), low, high);
}

ApiOptions ApiOptionsOf(const GatewayOptions& options) {
  ApiOptions api;
  api.limits.items_max = options.max_client_batch_size;
  api.limits.auto_truncate = options.auto_truncate;
  api.runner.text_threads = Share(options.text_threads, 2, 2, 16);
  api.runner.inputs_in_flight_max = options.max_concurrent_requests;
  api.runner.chunks.chunk_tokens = options.chunk_tokens;
  api.runner.chunks.window = std::max(1, options.job_window);
  api.any_model_name = options.any_model_name;
  api.version = options.version;
  return api;
}

ServerOptions ServerOptionsOf(const GatewayOptions& options) {
  ServerOptions server;
  server.host = options.host;
  server.port = options.port;
  server.io_threads = Share(options.io_threads, 4, 1, 8);
  server.connections_max = options.connections_max;
  server.limits.head_bytes_max = options.head_limit_bytes;
  server.limits.body_bytes_max = options.payload_limit_bytes;
  server.limits.idle_timeout = options.idle_timeout;
  server.limits.head_timeout = options.head_timeout;
  server.limits.body_timeout = options.body_timeout;
  server.limits.request_timeout = options.request_timeout;
  server.limits.write_timeout = options.write_timeout;
  return server;
}

}  // namespace

struct Gateway::Parts {
  std::shared_ptr<Api> api;
  std::unique_ptr<Server> server;
};

absl::StatusOr<std::unique_ptr<Gateway>> Gateway::Create(const GatewayOptions& options,
                                                         std::vector<ServedModel> models,
                                                         common::Metrics& metrics) {
  auto parts = std::make_unique<Parts>();
  ASSIGN_OR_RETURN(parts->api, Api::Create(ApiOptionsOf(options), std::move(models), metrics));
  auto router = std::make_unique<Router>(metrics);
  parts->api->AddRoutes(*router);
  const auto service = std::make_shared<Service>(
      ServiceOptions{.api_key = options.api_key, .cors_origins = options.cors_allow_origin},
      std::move(router));
  ASSIGN_OR_RETURN(parts->server,
                   Server::Create(ServerOptionsOf(options), service,
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

void Gateway::BeginDrain() { parts_->api->BeginDrain(); }

void Gateway::StopAccepting() { parts_->server->StopAccepting(); }

bool Gateway::Wait(common::TimePoint deadline) { return parts_->server->Wait(deadline); }

}  // namespace ivy
