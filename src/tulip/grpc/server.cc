#include "tulip/grpc/server.h"

#include <fmt/format.h>
#include <grpcpp/ext/health_check_service_server_builder_option.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "tulip/grpc/service.h"
#include "wire/grpc/server_tls.h"
#include "wire/host_port.h"

namespace tulip {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Of one connection; more wait at the client.
constexpr int kCallsPerConnectionMax = 4096;
/// Without a word for so long, a client is asked whether it is there, and given up if it is not.
constexpr milliseconds kKeepAliveTime = seconds(30);
constexpr milliseconds kKeepAliveTimeout = seconds(10);
/// Clients may ask likewise, so often and no oftener.
constexpr milliseconds kPingIntervalMin = seconds(5);

void SetLimits(const GrpcServerOptions& options, grpc::ServerBuilder& builder) {
  const auto message_bytes_max = static_cast<int>(options.message_bytes_max);
  builder.SetMaxReceiveMessageSize(message_bytes_max);
  builder.SetMaxSendMessageSize(message_bytes_max);
  const auto set = [&](const char* name, int64_t value) {
    builder.AddChannelArgument(name, static_cast<int>(value));
  };
  set(GRPC_ARG_MAX_CONCURRENT_STREAMS, kCallsPerConnectionMax);
  set(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepAliveTime.count());
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepAliveTimeout.count());
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kPingIntervalMin.count());
  // Else a second server on the same port would take half of the connections.
  set(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

/// Listens with what is in the builder.
absl::StatusOr<std::unique_ptr<grpc::Server>> Start(const GrpcServerOptions& options,
                                                    wire::ServerTls& tls,
                                                    grpc::ServerBuilder& builder, int& port) {
  const std::string address = wire::JoinHostPort(options.host, options.port);
  SetLimits(options, builder);
  builder.AddListeningPort(address, tls.MakeCredentials(), &port);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server != nullptr && port != 0) return server;
  return absl::UnavailableError(
      fmt::format("cannot listen on {}: the address is taken or not ours", address));
}

class Server final : public GrpcServer {
 public:
  Server(const std::vector<wire::InferenceClient*>& models, const GrpcServerOptions& options)
      : service_(models, {.answer_bytes_max = options.message_bytes_max,
                          .tracer = *options.tracer,
                          .metrics = options.metrics}) {}
  ~Server() override { Shutdown(common::TimePoint::min()); }

  absl::Status Listen(const GrpcServerOptions& options) {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    ASSIGN_OR_RETURN(tls_, wire::ServerTls::Create(options.tls));
    ASSIGN_OR_RETURN(server_, Start(options, *tls_, builder, port_));
    service_.health().Attach(*server_->GetHealthCheckService());
    return absl::OkStatus();
  }

  int port() const override { return port_; }

  absl::Status ReloadTls() override { return tls_->Reload(); }

  void BeginDrain() override { service_.health().BeginDrain(); }

  void Shutdown(common::TimePoint deadline) override {
    if (server_ == nullptr || std::exchange(ended_, true)) return;
    BeginDrain();
    service_.gate().Close(deadline);
    // What is left is cancelled: calls that are late, and those who watch the health.
    server_->Shutdown(std::chrono::system_clock::now());
  }

 private:
  Service service_;  ///< Outlives the server, as the next does.
  std::unique_ptr<wire::ServerTls> tls_;
  int port_ = 0;
  bool ended_ = false;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

absl::Status GrpcServer::Try(const GrpcServerOptions& options) {
  grpc::ServerBuilder builder;
  // gRPC's own would say SERVING of a server without services.
  builder.SetOption(std::make_unique<grpc::HealthCheckServiceServerBuilderOption>(nullptr));
  int port = 0;
  ASSIGN_OR_RETURN(const auto tls, wire::ServerTls::Create(options.tls));
  return Start(options, *tls, builder, port).status();
}

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Create(
    const GrpcServerOptions& options, const std::vector<wire::InferenceClient*>& models) {
  auto server = std::make_unique<Server>(models, options);
  RETURN_IF_ERROR(server->Listen(options));
  return server;
}

}  // namespace tulip
