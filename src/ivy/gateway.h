#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/metrics.h"
#include "common/status.h"
#include "ivy/job/served_model.h"

namespace ivy {

/// The gateway's flags, named as they are unless a comment says otherwise, and limits of
/// connections that have no flag.
struct GatewayOptions {
  std::string host = "127.0.0.1";
  int port = 8080;       ///< 0: any free one.
  int io_threads = 0;    ///< 0: a quarter of the processors, 1 to 8.
  int text_threads = 0;  ///< 0: half of the processors, 2 to 16.
  int connections_max = 16'384;
  std::size_t payload_limit_bytes = std::size_t{32} << 20;  ///< --payload-limit
  std::size_t head_limit_bytes = std::size_t{16} << 10;
  int max_client_batch_size = 2048;
  int max_concurrent_requests = 8192;  ///< Inputs, not requests.
  bool auto_truncate = true;
  int64_t chunk_tokens = 0;  ///< 0: the engine's saturation point.
  int job_window = 2;        ///< Chunks of one job outstanding at a replica.
  std::chrono::milliseconds request_timeout{60'000};
  std::chrono::milliseconds idle_timeout{75'000};
  std::chrono::milliseconds head_timeout{10'000};
  std::chrono::milliseconds body_timeout{60'000};
  std::chrono::milliseconds write_timeout{30'000};
  std::string api_key;                                 ///< Empty: none is asked for.
  std::vector<std::string> cors_allow_origin = {"*"};  ///< Empty: no cross-origin reading.
  /// With a single model: requests may name any model or none (no --served-model-name was given).
  bool any_model_name = true;
  std::string version;  ///< For /info.
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
