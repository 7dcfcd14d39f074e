#include "ivy/api/api.h"

#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "ivy/api/info.h"
#include "ivy/api/invocations.h"
#include "ivy/api/job_endpoint.h"
#include "ivy/api/openai_embeddings.h"
#include "ivy/api/rerank.h"
#include "ivy/api/tei_embed.h"
#include "ivy/api/tei_predict.h"
#include "ivy/api/tei_similarity.h"
#include "ivy/api/tokenize_text.h"

namespace ivy {

absl::StatusOr<std::shared_ptr<Api>> Api::Create(ApiOptions options,
                                                 std::vector<ServedModel> models,
                                                 common::Metrics& metrics) {
  const int items = options.limits.items_max, in_flight = options.runner.inputs_in_flight_max;
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
      runner_(options_.runner, metrics),
      context_{.models = *models_, .runner = runner_, .limits = options_.limits},
      created_(std::time(nullptr)) {}

absl::Status Api::Health() const {
  if (draining_) return Failure(Cause::kUnhealthy, "shutting down");
  for (const auto& model : models_->models()) {
    if (!model->served.client->Healthy()) {
      return Failure(Cause::kUnhealthy,
                     fmt::format("model {}: no engine serves it", model->served.name));
    }
  }
  return absl::OkStatus();
}

void Api::AddRoutes(Router& router) {
  AddModelRoutes(router);
  AddTextRoutes(router);
  AddServerRoutes(router);
}

void Api::AddModelRoutes(Router& router) {
  const auto add = [&](const std::vector<std::string>& paths, Dialect dialect, ParseCall parse) {
    router.Add(paths, {.dialect = dialect,
                       .post = [self = shared_from_this(),
                                parse](const std::shared_ptr<Exchange>& exchange) {
                         ServeJob(self->context_, parse, exchange);
                       }});
  };
  add({"/v1/embeddings", "/embeddings"}, Dialect::kOpenAi, ParseOpenAiEmbeddings);
  add({"/embed"}, Dialect::kTei, ParseTeiEmbed);
  add({"/embed_sparse"}, Dialect::kTei, ParseTeiEmbedSparse);
  add({"/embed_all"}, Dialect::kTei, ParseTeiEmbedAll);
  add({"/similarity"}, Dialect::kTei, ParseTeiSimilarity);
  add({"/predict"}, Dialect::kTei, ParseTeiPredict);
  add({"/rerank"}, Dialect::kTei, ParseTeiRerank);
  add({"/v1/rerank"}, Dialect::kOpenAi, ParseRerankV1);
  add({"/v2/rerank"}, Dialect::kOpenAi, ParseRerankV2);
  add({"/invocations"}, Dialect::kTei, ParseInvocation);
}

void Api::AddTextRoutes(Router& router) {
  const auto add = [&](const std::string& path, Dialect dialect, AnswerBody answer) {
    router.Add({path}, {.dialect = dialect,
                        .post = [self = shared_from_this(),
                                 answer](const std::shared_ptr<Exchange>& exchange) {
                          ServeBody(self->context_, answer, exchange);
                        }});
  };
  add("/tokenize", Dialect::kTei, AnswerTokenize);
  add("/decode", Dialect::kTei, AnswerDecode);
  add("/detokenize", Dialect::kOpenAi, AnswerDetokenize);
}

void Api::AddServerRoutes(Router& router) {
  const auto self = shared_from_this();
  const auto json = [](const auto& render) -> Endpoint {
    return [render](const std::shared_ptr<Exchange>& exchange) {
      Response response;
      response.body = render();
      exchange->Answer(std::move(response));
    };
  };
  router.Add({"/v1/models", "/models"},
             {.get = json([self] { return RenderModels(*self->models_, self->created_); })});
  router.Add({"/info"}, {.dialect = Dialect::kTei,
                         .get = json([self] {
                           const ServerInfo server = {
                               .version = self->options_.version,
                               .inputs_in_flight_max = self->options_.runner.inputs_in_flight_max,
                               .text_threads = self->runner_.pool().threads()};
                           return RenderInfo(*self->models_, self->options_.limits, server);
                         })});
  const Endpoint health = [self](const std::shared_ptr<Exchange>& exchange) {
    const absl::Status status = self->Health();
    status.ok() ? exchange->Answer({}) : exchange->Fail(status);
  };
  router.Add({"/health", "/", "/ping"}, {.dialect = Dialect::kTei, .open = true, .get = health});
  router.Add({"/metrics"},
             {.open = true, .get = [self](const std::shared_ptr<Exchange>& exchange) {
                // Some milliseconds: not for an I/O thread.
                self->runner_.pool().Continue(TextPool::Lane::kShort, [self, exchange] {
                  Response response;
                  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                  self->tokenizer_metrics_.Update();
                  response.body = self->metrics_.Text();
                  exchange->Answer(std::move(response));
                });
              }});
}

}  // namespace ivy
