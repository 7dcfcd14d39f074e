#pragma once

#include <string>

#include "bench/overhead/null_engine.h"
#include "common/metrics.h"
#include "tulip/in_process_client.h"
#include "tulip/model_info.h"
#include "tulip/worker.h"

namespace bench {

/// A worker over a NullEngine and the way to it inside the process.
class NullWorker {
 public:
  /// `recorder` outlives it. `spin`: as WorkerOptions says.
  NullWorker(const std::string& name, common::Duration spin, Recorder& recorder)
      : NullWorker(name, spin, std::make_unique<NullEngine>(recorder)) {}

  tulip::InProcessClient& client() { return client_; }

 private:
  NullWorker(const std::string& name, common::Duration spin, std::unique_ptr<NullEngine> engine)
      : info_(tulip::DescribeEngine(engine->info(), name)),
        worker_(std::move(engine), info_, {.spin = spin}, metrics_),
        client_({&worker_}) {}

  const wire::ModelInfo info_;
  common::Metrics metrics_;
  tulip::Worker worker_;
  tulip::InProcessClient client_;
};

}  // namespace bench
