#include "tulip.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "admin_server.h"
#include "certificate_dates.h"
#include "common/log.h"
#include "reloads.h"
#include "wire/grpc/log.h"
#include "wire/host_port.h"

namespace {

/// Engines, the gRPC server over them, and the admin server beside it, which is there first and
/// ends last.
class TulipProcess {
 public:
  absl::Status Load(const TulipOptions& options, const FailureHook& on_failure) {
    // That the port is taken, or the TLS files are of no use, is told before weights are read.
    RETURN_IF_ERROR(tulip::GrpcServer::Try(options.server));
    WarnOfCertificateDates(options.server.tls);
    ASSIGN_OR_RETURN(tracing_, Tracing::Start(options.trace, "parterre-tulip", metrics_));
    const std::string& host = options.server.host;
    ASSIGN_OR_RETURN(admin_, StartAdminServer(
                                 host, options.admin_port, [this] { return Health(); }, metrics_));
    spdlog::info("metrics and health on http://{}", wire::JoinHostPort(host, admin_->port()));
    ASSIGN_OR_RETURN(const std::vector<NamedModel> models,
                     OpenModels(options.models, options.devices.weights_required()));
    for (const NamedModel& model : models) {
      ASSIGN_OR_RETURN(workers_.emplace_back(),
                       ModelWorkers::Start(model, options.devices, on_failure, metrics_));
    }
    return absl::OkStatus();
  }

  absl::Status Listen(const TulipOptions& options) {
    std::vector<wire::InferenceClient*> clients;
    clients.reserve(workers_.size());
    for (const auto& workers : workers_) clients.push_back(&workers->client());
    tulip::GrpcServerOptions server = options.server;
    server.tracer = &tracing_->tracer();
    server.metrics = &metrics_;
    ASSIGN_OR_RETURN(server_, tulip::GrpcServer::Create(server, clients));
    if (!options.server.tls.certificate.empty()) {
      reloads_.Add("certificates of gRPC", "tls", [this, tls = options.server.tls] {
        RETURN_IF_ERROR(server_->ReloadTls());
        WarnOfCertificateDates(tls);
        return absl::OkStatus();
      });
    }
    loaded_ = true;
    return absl::OkStatus();
  }

  int port() const { return server_->port(); }

  void BeginDrain() {
    draining_ = true;
    server_->BeginDrain();
  }

  void Reload() { reloads_.Run(); }

  void Shutdown(common::TimePoint deadline) {
    // While the workers still run, the calls get their answers.
    server_->Shutdown(deadline);
    for (const auto& workers : workers_) workers->Shutdown(deadline);
    tracing_->Shutdown(deadline);
    admin_->StopAccepting();
    admin_->Wait(deadline);
  }

 private:
  absl::Status Health() const {
    if (draining_) return absl::UnavailableError("shutting down");
    if (!loaded_) return absl::UnavailableError("the weights are being read");
    for (const auto& workers : workers_) {
      const tulip::InProcessClient& client = workers->client();
      if (client.Healthy()) continue;
      return absl::UnavailableError(
          fmt::format("model {}: its engine has failed", client.Info().name));
    }
    return absl::OkStatus();
  }

  common::Metrics metrics_;
  Reloads reloads_{metrics_};
  std::unique_ptr<Tracing> tracing_;
  std::atomic<bool> draining_{false};
  std::atomic<bool> loaded_{false};  ///< From then on the workers stay as they are.
  std::vector<std::unique_ptr<ModelWorkers>> workers_;
  std::unique_ptr<tulip::GrpcServer> server_;
  std::unique_ptr<ivy::Server> admin_;
};

}  // namespace

absl::Status RunTulip(const TulipOptions& options) {
  RETURN_IF_ERROR(SetUpLog(options.log));
  Signals signals;
  wire::RouteGrpcLog();
  TulipProcess process;
  RETURN_IF_ERROR(process.Load(options, signals.failure_hook()));
  signals.BeginServing();
  RETURN_IF_ERROR(process.Listen(options));
  spdlog::info("listening on {} (gRPC{})", wire::JoinHostPort(options.server.host, process.port()),
               options.server.tls.certificate.empty() ? "" : " over TLS");
  process.Shutdown(signals.AwaitStop(options.stop, {.begin_drain = [&] { process.BeginDrain(); },
                                                    .reload = [&] { process.Reload(); }}));
  spdlog::info("stopped");
  return signals.failure();
}
