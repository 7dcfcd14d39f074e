#include "ivy.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "certificate_dates.h"
#include "common/log.h"
#include "gateway_options.h"
#include "gateway_reloads.h"
#include "ivy/replica/resolver.h"
#include "wire/grpc/channel_tls.h"
#include "wire/grpc/log.h"
#include "wire/host_port.h"

namespace {

/// Where the Tulips are, and the name that their certificates are for; empty: the one dialled.
struct Whereabouts {
  ivy::Resolver resolver;
  std::string server_name = {};
};

absl::StatusOr<Whereabouts> ReadWhereabouts(const ReplicaOptions& options) {
  if (options.replica.empty() == options.replicas.empty()) {
    return absl::InvalidArgumentError(
        "expected --replica HOST:PORT or --replicas dns:///NAME:PORT, one of them");
  }
  for (const std::string& address : options.replica) {
    if (wire::ParseHostPort(address)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--replica: expected HOST:PORT or [IPV6]:PORT, got \"", address, "\""));
  }
  if (options.replicas.empty()) return Whereabouts{ivy::MakeFixedResolver(options.replica)};
  const absl::StatusOr<wire::HostPort> target = ivy::ParseDnsTarget(options.replicas);
  if (!target.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--replicas: ", target.status().message()));
  }
  return Whereabouts{ivy::MakeDnsResolver(*target), target->host};
}

/// The model's replicas. Nobody waits for them: who asks too early is told so, and /health says it.
std::unique_ptr<ivy::ReplicaKeeper> Reach(const NamedModel& model, const ReplicaOptions& options,
                                          const Whereabouts& whereabouts,
                                          std::shared_ptr<wire::ChannelTls> tls,
                                          common::Metrics& metrics) {
  ivy::GrpcReplicaOptions grpc = options.grpc;
  grpc.model = model.name;
  grpc.server_name = whereabouts.server_name;
  grpc.tls = std::move(tls);
  ivy::ReplicaKeeperOptions keeper;
  keeper.set.model = model.name;
  keeper.set.chunk_timeout = options.chunk_timeout;
  keeper.set.expected = PromisedInfo(model);
  return std::make_unique<ivy::ReplicaKeeper>(std::move(keeper), whereabouts.resolver,
                                              ivy::MakeGrpcReplicaFactory(grpc), metrics);
}

/// The models' texts, the way to their replicas, and the gateway in front.
class IvyProcess {
 public:
  absl::Status Load(const IvyOptions& options) {
    ASSIGN_OR_RETURN(gateway_options_, CompleteGateway(options.gateway, options.models));
    ASSIGN_OR_RETURN(const Whereabouts whereabouts, ReadWhereabouts(options.replicas));
    const wire::TlsFiles& files = options.replicas.tls;
    ASSIGN_OR_RETURN(const std::shared_ptr<wire::ChannelTls> tls, wire::ChannelTls::Create(files));
    WarnOfCertificateDates(files);
    ASSIGN_OR_RETURN(gateway_options_.service.api_keys, AddKeys(options.keys, reloads_));
    ASSIGN_OR_RETURN(tracing_, Tracing::Start(options.trace, "parterre-ivy", metrics_));
    ASSIGN_OR_RETURN(models_, OpenModels(options.models, /*weights=*/false));
    ASSIGN_OR_RETURN(texts_, LoadTextModels(models_, options.text));
    for (const TextModel& text : texts_) {
      keepers_.push_back(Reach(*text.model, options.replicas, whereabouts, tls, metrics_));
      served_.push_back(text.Describe(options.text, &keepers_.back()->set()));
    }
    gateway_options_.service.tracer = &tracing_->tracer();
    if (!files.authority.empty()) {
      reloads_.Add("certificates of Tulips", "replica_tls", [tls, files] {
        RETURN_IF_ERROR(tls->Reload());
        WarnOfCertificateDates(files);
        return absl::OkStatus();
      });
    }
    return absl::OkStatus();
  }

  absl::Status Listen() {
    ASSIGN_OR_RETURN(gateway_, ivy::Gateway::Create(gateway_options_, served_, metrics_));
    AddCertificates(gateway_options_, *gateway_, reloads_);
    return absl::OkStatus();
  }

  int port() const { return gateway_->port(); }
  void BeginDrain() { gateway_->BeginDrain(); }
  void Reload() { reloads_.Run(); }
  void Shutdown(common::TimePoint deadline) {
    gateway_->StopAccepting();
    gateway_->Wait(deadline);
    tracing_->Shutdown(deadline);
  }

 private:
  common::Metrics metrics_;
  Reloads reloads_{metrics_};
  std::unique_ptr<Tracing> tracing_;
  std::vector<NamedModel> models_;
  std::vector<TextModel> texts_;
  std::vector<std::unique_ptr<ivy::ReplicaKeeper>> keepers_;
  ivy::GatewayOptions gateway_options_;
  std::vector<ivy::ServedModel> served_;
  std::unique_ptr<ivy::Gateway> gateway_;
};

}  // namespace

absl::Status RunIvy(const IvyOptions& options) {
  RETURN_IF_ERROR(SetUpLog(options.log));
  Signals signals;
  wire::RouteGrpcLog();
  IvyProcess process;
  RETURN_IF_ERROR(process.Load(options));
  signals.BeginServing();
  RETURN_IF_ERROR(process.Listen());
  spdlog::info("listening on {}", GatewayUrl(options.gateway.server, process.port()));
  process.Shutdown(signals.AwaitStop(options.stop, {.begin_drain = [&] { process.BeginDrain(); },
                                                    .reload = [&] { process.Reload(); }}));
  spdlog::info("stopped");
  return absl::OkStatus();
}
