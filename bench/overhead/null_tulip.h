#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "bench/overhead/passage.h"
#include "common/status.h"

namespace bench {

/// A Tulip with a null engine, in a process of its own as where it is deployed: what the two sides
/// of gRPC share inside one process would help or hinder them.
class NullTulip {
 public:
  static constexpr char kModel[] = "null";          ///< Answered by a worker.
  static constexpr char kInlineModel[] = "inline";  ///< By the service's own thread, at once.

  /// To be called before the process has threads. `spin`: its worker's, as WorkerOptions says.
  static absl::StatusOr<std::unique_ptr<NullTulip>> Start(common::Duration spin);
  /// Ends the process.
  ~NullTulip();
  NullTulip(const NullTulip&) = delete;
  NullTulip& operator=(const NullTulip&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Both processes record here.
  Recorder& recorder() { return *recorder_; }

 private:
  NullTulip(Recorder* recorder, pid_t process, int port, int lifeline)
      : recorder_(recorder), process_(process), port_(port), lifeline_(lifeline) {}

  Recorder* const recorder_;
  const pid_t process_;
  const int port_;
  const int lifeline_;  ///< The process ends when this closes.
};

}  // namespace bench
