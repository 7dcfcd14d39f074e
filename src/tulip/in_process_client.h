#pragma once

#include "tulip/worker.h"
#include "wire/inference.h"

namespace tulip {

/// The way from Ivy to a worker of the same process: no copy, no socket. Any thread.
class InProcessClient final : public wire::InferenceClient {
 public:
  explicit InProcessClient(Worker& worker) : worker_(worker) {}  ///< `worker` outlives it.

  void Infer(wire::InferenceRequest request, Callback done) override;
  const wire::ModelInfo& Info() const override { return worker_.info(); }
  bool Healthy() const override { return worker_.healthy(); }

 private:
  Worker& worker_;
};

}  // namespace tulip
