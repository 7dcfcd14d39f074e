#pragma once

#include <memory>
#include <vector>

#include "common/clock.h"
#include "common/metrics.h"
#include "common/status.h"
#include "ivy/api/api.h"
#include "ivy/http/service.h"
#include "ivy/job/served_model.h"
#include "ivy/net/server.h"

namespace ivy {

/// Of the parts that the gateway is made of.
struct GatewayOptions {
  ServerOptions server;
  ServiceOptions service;
  ApiOptions api;
};

/// The HTTP gateway: text in, vectors out, the work between done by an InferenceClient. It listens
/// from Create to StopAccepting.
///
/// Graceful stop: BeginDrain, pass --drain-ms, StopAccepting, Wait. The destructor closes what is
/// left. The clients of the models must outlive the gateway and end or finish their calls (a call
/// that comes back later touches nothing of the gateway's that is gone).
class Gateway {
 public:
  /// Errors: InvalidArgument (an option or model does not fit, named), Unavailable (the address is
  /// taken). `metrics` outlives the gateway and the clients' last call back.
  static absl::StatusOr<std::unique_ptr<Gateway>> Create(const GatewayOptions& options,
                                                         std::vector<ServedModel> models,
                                                         common::Metrics& metrics);
  ~Gateway();

  int port() const;
  /// As Server::ReloadTls.
  absl::Status ReloadTls();
  /// /health says 503 from now on; everything else is served as before.
  void BeginDrain();
  /// New connections are refused, idle ones closed, the others close after the answer in hand.
  void StopAccepting();
  /// Waits until no connection is left; false if some are when the deadline comes.
  bool Wait(common::TimePoint deadline);

 private:
  struct Parts;
  explicit Gateway(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace ivy
