#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "tulip/worker.h"
#include "wire/inference.h"

namespace tulip {

/// The way from Ivy to the workers of one model in the same process: no copy, no socket. A request
/// goes whole to the worker with the fewest tokens waiting or running, in turn where several have
/// as few; to one that has failed only where all have. Any thread.
class InProcessClient final : public wire::InferenceClient {
 public:
  /// At least one; they outlive the client.
  explicit InProcessClient(std::vector<Worker*> workers);

  void Infer(wire::InferenceRequest request, Callback done) override;
  const wire::ModelInfo& Info() const override { return info_; }
  /// While any worker is.
  bool Healthy() const override;
  /// Its workers.
  int Engines() const override { return static_cast<int>(workers_.size()); }

 private:
  Worker& Choose();

  const std::vector<Worker*> workers_;
  const wire::ModelInfo info_;
  std::atomic<std::size_t> turn_{0};
};

}  // namespace tulip
