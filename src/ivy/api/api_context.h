#pragma once

#include "ivy/job/job_runner.h"

namespace ivy {

struct ApiLimits {
  int items_max = 2048;       ///< --max-client-batch-size
  bool auto_truncate = true;  ///< --auto-truncate
};

/// What the routes have in common; made once, outlives the requests.
struct ApiContext {
  const ModelTable& models;
  JobRunner& runner;
  ApiLimits limits;
};

}  // namespace ivy
