#include "ivy/api/api.h"

#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "ivy/api/openai_embeddings.h"
#include "ivy/api/tei_embed.h"

namespace ivy {

absl::StatusOr<std::shared_ptr<Api>> Api::Create(ApiOptions options,
                                                 std::vector<ServedModel> models,
                                                 common::Metrics& metrics) {
  const int items = options.limits.items_max, in_flight = options.embedder.inputs_in_flight_max;
  if (items < 1) return absl::InvalidArgumentError("--max-client-batch-size: expected 1 or more");
  if (items > in_flight) {
    // The largest request could never be admitted.
    return absl::InvalidArgumentError(fmt::format(
        "--max-client-batch-size {} exceeds --max-concurrent-requests {}", items, in_flight));
  }
  ASSIGN_OR_RETURN(auto table, ModelTable::Create(std::move(models), options.any_model_name));
  return std::shared_ptr<Api>(new Api(std::move(options), std::move(table), metrics));
}

Api::Api(ApiOptions options, std::unique_ptr<ModelTable> models, common::Metrics& metrics)
    : options_(std::move(options)),
      models_(std::move(models)),
      metrics_(metrics),
      tokenizer_metrics_(*models_, metrics),
      embedder_(options_.embedder, metrics),
      context_{.models = *models_,
               .embedder = embedder_,
               .limits = options_.limits,
               .render_duration_seconds =
                   metrics.Histogram("parterre_render_duration_seconds",
                                     "Writing one answer's JSON.", common::DurationBuckets())},
      created_(std::time(nullptr)) {}

absl::Status Api::Health() const {
  if (draining_) return Failure(Cause::kUnhealthy, "shutting down");
  for (const auto& model : models_->models()) {
    if (!model->served.client->Healthy()) {
      return Failure(Cause::kUnhealthy,
                     fmt::format("model {}: its engine has failed", model->served.name));
    }
  }
  return absl::OkStatus();
}

void Api::AddRoutes(Router& router) {
  const auto self = shared_from_this();
  const auto embed = [self](ParseEmbed parse) -> Endpoint {
    return [self, parse](const std::shared_ptr<Exchange>& exchange) {
      ServeEmbed(self->context_, parse, exchange);
    };
  };
  const auto json = [](auto render) -> Endpoint {
    return [render](const std::shared_ptr<Exchange>& exchange) {
      Response response;
      response.body = render();
      exchange->Answer(std::move(response));
    };
  };
  router.Add({"/v1/embeddings", "/embeddings"},
             {.dialect = Dialect::kOpenAi, .post = embed(ParseOpenAiEmbeddings)});
  router.Add({"/embed"}, {.dialect = Dialect::kTei, .post = embed(ParseTeiEmbed)});
  router.Add({"/v1/models", "/models"},
             {.get = json([self] { return RenderModels(*self->models_, self->created_); })});
  router.Add({"/info"}, {.dialect = Dialect::kTei,
                         .get = json([self] {
                           const ServerInfo server = {
                               .version = self->options_.version,
                               .inputs_in_flight_max = self->options_.embedder.inputs_in_flight_max,
                               .text_threads = self->embedder_.pool().threads()};
                           return RenderInfo(*self->models_, self->options_.limits, server);
                         })});
  router.Add({"/health", "/", "/ping"}, {.dialect = Dialect::kTei,
                                         .open = true,
                                         .get = [self](const std::shared_ptr<Exchange>& exchange) {
                                           const absl::Status health = self->Health();
                                           health.ok() ? exchange->Answer({})
                                                       : exchange->Fail(health);
                                         }});
  router.Add({"/metrics"},
             {.open = true, .get = [self](const std::shared_ptr<Exchange>& exchange) {
                // Some milliseconds: not for an I/O thread.
                self->embedder_.pool().Continue(TextPool::Lane::kShort, [self, exchange] {
                  Response response;
                  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                  self->tokenizer_metrics_.Update();
                  response.body = self->metrics_.Text();
                  exchange->Answer(std::move(response));
                });
              }});
}

}  // namespace ivy
