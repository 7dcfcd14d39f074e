#include "admin_server.h"

#include <utility>

#include "ivy/http/service.h"

absl::StatusOr<std::unique_ptr<ivy::Server>> StartAdminServer(const std::string& host, int port,
                                                              std::function<absl::Status()> health,
                                                              common::Metrics& metrics) {
  using ExchangePtr = std::shared_ptr<ivy::Exchange>;
  auto router = std::make_unique<ivy::Router>(metrics);
  router->Add(
      {"/health"},
      {.open = true, .get = [health = std::move(health)](const ExchangePtr& exchange) {
         const absl::Status status = health();
         if (status.ok()) return exchange->Answer({});
         exchange->Fail(ivy::Failure(ivy::Cause::kUnhealthy, std::string(status.message())));
       }});
  router->Add({"/metrics"}, {.open = true, .get = [&metrics](const ExchangePtr& exchange) {
                               ivy::Response response;
                               response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                               response.body = metrics.Text();
                               exchange->Answer(std::move(response));
                             }});
  const ivy::ServerOptions options = {.host = host, .port = port, .io_threads = 1, .limits = {}};
  return ivy::Server::Create(
      options, std::make_shared<ivy::Service>(ivy::ServiceOptions{}, std::move(router)),
      metrics.Gauge("parterre_connections", "Open connections."));
}
