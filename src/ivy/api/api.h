#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "ivy/api/api_context.h"
#include "ivy/api/tokenizer_metrics.h"
#include "ivy/http/router.h"
#include "ivy/job/job_runner.h"
#include "ivy/job/model_table.h"
#include "ivy/job/served_model.h"

namespace ivy {

struct ApiOptions {
  ApiLimits limits;
  JobRunnerOptions runner;
  /// With a single model: requests may name any model or none (no --served-model-name was given).
  bool any_model_name = true;
  std::string version;  ///< For /info.
};

/// Every route and what the routes share. Any thread; kept alive by the router's endpoints.
class Api : public std::enable_shared_from_this<Api> {
 public:
  static absl::StatusOr<std::shared_ptr<Api>> Create(ApiOptions options,
                                                     std::vector<ServedModel> models,
                                                     common::Metrics& metrics);

  void AddRoutes(Router& router);
  /// From here on /health says 503.
  void BeginDrain() { draining_ = true; }
  /// Joins the threads; work that waits is dropped. Not to be called from one of them.
  void Stop() { runner_.pool().Stop(); }

 private:
  Api(ApiOptions options, std::unique_ptr<ModelTable> models, common::Metrics& metrics);

  absl::Status Health() const;
  void AddModelRoutes(Router& router);
  void AddTextRoutes(Router& router);
  void AddServerRoutes(Router& router);

  const ApiOptions options_;
  const std::unique_ptr<ModelTable> models_;
  common::Metrics& metrics_;
  TokenizerMetrics tokenizer_metrics_;
  JobRunner runner_;
  const ApiContext context_;
  const int64_t created_;  ///< Unix seconds.
  std::atomic<bool> draining_{false};
};

}  // namespace ivy
