#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/metrics.h"
#include "common/status.h"
#include "common/trace/tracer.h"
#include "wire/inference.h"
#include "wire/tls_files.h"

namespace tulip {

struct GrpcServerOptions {
  std::string host = "127.0.0.1";                  ///< An address, or a name that resolves to one.
  int port = 50'051;                               ///< 0: any free one.
  wire::TlsFiles tls = {};                         ///< Its authority is that of the clients.
  int64_t message_bytes_max = int64_t{256} << 20;  ///< Of a request and of an answer.
  // Both outlive the server.
  const common::Tracer* tracer = &common::Tracer::Off();
  common::Metrics* metrics = nullptr;  ///< Null: nobody counts calls.
};

/// Models over gRPC, as proto/tulip/v1/tulip.proto says, with grpc.health.v1 and reflection. A
/// model, and the server as a whole, is NOT_SERVING once BeginDrain was called or the model's
/// client is no longer healthy.
class GrpcServer {
 public:
  /// Whether Create could listen just now. For a moment connections are taken, and all calls on
  /// them refused: nobody is told that anything serves. Errors as of Create.
  static absl::Status Try(const GrpcServerOptions& options);
  /// Listens and serves. `models` are known by their names, which differ; they outlive the server.
  /// Errors: InvalidArgument (TLS files, by name), Unavailable (the address is taken).
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Create(
      const GrpcServerOptions& options, const std::vector<wire::InferenceClient*>& models);
  /// Shuts down at once.
  virtual ~GrpcServer() = default;

  virtual int port() const = 0;
  /// Reads the TLS files again: connections from now on are of what they hold, those that are there
  /// go on. Errors as of Create; then nothing changes. Nothing to do without TLS.
  virtual absl::Status ReloadTls() = 0;
  /// Health says NOT_SERVING from now on; everything else is served as before.
  virtual void BeginDrain() = 0;
  /// Refuses new calls, waits for those in hand until the deadline and cancels the rest. The models
  /// must go on answering until it returns. A second call does nothing. One thread.
  virtual void Shutdown(common::TimePoint deadline) = 0;
};

}  // namespace tulip
