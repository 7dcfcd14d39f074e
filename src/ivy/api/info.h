#pragma once

#include <string>

#include "ivy/api/api_context.h"

namespace ivy {

/// What /info tells beside the models.
struct ServerInfo {
  std::string version;
  int inputs_in_flight_max = 0;
  int text_threads = 0;
};

/// GET /info: TEI's fields for the first model, and ours: task, outputs, labels, dimension,
/// normalize, quantization, device, family, vocabulary, prompts, batch budget with its measured
/// curve, names of all models.
std::string RenderInfo(const ModelTable& models, const ApiLimits& limits, const ServerInfo& server);

/// GET /v1/models, OpenAI's list; aliases have entries of their own. `created`: Unix seconds.
std::string RenderModels(const ModelTable& models, int64_t created);

}  // namespace ivy
