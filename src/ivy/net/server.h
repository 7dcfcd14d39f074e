#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "common/clock.h"
#include "common/metrics.h"
#include "common/status.h"
#include "ivy/http/exchange.h"
#include "wire/tls_files.h"

namespace ivy {

/// Bounds on what one connection may take and how slow its client may be.
struct ConnectionLimits {
  std::size_t head_bytes_max = std::size_t{16} << 10;
  std::size_t body_bytes_max = std::size_t{32} << 20;
  std::chrono::milliseconds handshake_timeout{10'000};  ///< Connected → encrypted, with TLS.
  std::chrono::milliseconds idle_timeout{75'000};       ///< Between requests.
  std::chrono::milliseconds head_timeout{10'000};       ///< First byte → end of the head.
  std::chrono::milliseconds body_timeout{60'000};       ///< End of the head → end of the body.
  std::chrono::milliseconds request_timeout{60'000};    ///< Body in → answer ready.
  std::chrono::milliseconds write_timeout{30'000};      ///< Without any progress of the answer.
};

struct ServerOptions {
  std::string host = "127.0.0.1";  ///< An address, or a name that resolves to one.
  int port = 8080;                 ///< 0: any free one.
  int io_threads = 0;              ///< 0: a quarter of the processors, 1 to 8.
  /// How long an I/O thread spins for what comes next before it sleeps; 0: it does not.
  common::Duration spin = {};
  int connections_max = 16'384;  ///< One more is closed, without TLS after a 503.
  ConnectionLimits limits;
  /// With a certificate: HTTPS. The authority is that of the clients, who must then show theirs.
  wire::TlsFiles tls = {};
};

/// HTTP/1.1 over TCP, or over TLS: one acceptor thread deals connections out in turn to the I/O
/// threads, each of which owns its connections for their whole life.
class Server {
 public:
  /// Binds, listens and starts. Errors name the address or a TLS file. `connections` counts the
  /// open ones.
  static absl::StatusOr<std::unique_ptr<Server>> Create(const ServerOptions& options,
                                                        std::shared_ptr<Handler> handler,
                                                        prometheus::Gauge& connections);
  /// Closes what is still open, in whatever state, and joins the threads.
  virtual ~Server() = default;

  virtual int port() const = 0;
  /// Reads the TLS files again: connections from now on are of what they hold, those that are there
  /// go on. Errors as of Create; then nothing changes. Nothing to do without TLS.
  virtual absl::Status ReloadTls() = 0;
  /// Closes the listening socket and idle connections; the others close after their answer.
  /// Waits until the I/O threads are told, not for what they then do.
  virtual void StopAccepting() = 0;
  /// Waits until no connection is left; false if some are at the deadline.
  virtual bool Wait(common::TimePoint deadline) = 0;
};

}  // namespace ivy
