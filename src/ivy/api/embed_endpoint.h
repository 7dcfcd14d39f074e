#pragma once

#include <functional>
#include <memory>

#include "ivy/job/embedder.h"

namespace ivy {

struct ApiLimits {
  int items_max = 2048;       ///< --max-client-batch-size
  bool auto_truncate = true;  ///< --auto-truncate
};

/// What the routes that embed have in common; made once, outlives the requests.
struct EmbedContext {
  const ModelTable& models;
  Embedder& embedder;
  ApiLimits limits;
  prometheus::Histogram& render_duration_seconds;
};

/// Writes an answer's JSON into response.body.
using RenderAnswer = std::function<void(const EmbedAnswer& answer, Response& response)>;

/// A parsed request: the job, and how the client wants the answer.
struct EmbedCall {
  EmbedJob job;
  RenderAnswer render;
};
using ParseEmbed = absl::StatusOr<EmbedCall> (*)(const Request& request,
                                                 const EmbedContext& context);

/// One exchange of a route that embeds: Parse → Call → Render. `context` outlives it.
void ServeEmbed(const EmbedContext& context, ParseEmbed parse,
                const std::shared_ptr<Exchange>& exchange);

/// Fills in what every job has of its model: defaults before the request's own fields.
EmbedJob NewJob(const Model& model, const ApiLimits& limits);

}  // namespace ivy
