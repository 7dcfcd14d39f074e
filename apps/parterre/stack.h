#pragma once

#include <memory>
#include <vector>

#include "common/clock.h"
#include "common/metrics.h"
#include "common/status.h"
#include "serve.h"

/// Everything that `serve` runs in one process, put together: for each model its folder, tokenizer,
/// engine, worker and client; one gateway in front. One thread.
class Stack {
 public:
  /// Loads the models. `on_failure`: as ModelWorkers::Start. Errors name the flag, the file, the
  /// key or the tensor.
  static absl::StatusOr<std::unique_ptr<Stack>> Load(const ServeOptions& options,
                                                     const FailureHook& on_failure);
  /// Shuts down at once.
  ~Stack();

  /// Lets requests in; once, before what follows. Errors name the address.
  absl::Status Listen();
  int port() const;
  /// /health answers 503 from now on; everything else goes on.
  void BeginDrain();
  /// Reads keys and certificates again.
  void Reload();
  /// Stops accepting, finishes what was accepted until `deadline`, answers the rest with errors.
  void Shutdown(common::TimePoint deadline);

 private:
  struct Parts;
  explicit Stack(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};
