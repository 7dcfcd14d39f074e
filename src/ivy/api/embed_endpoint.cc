#include "ivy/api/embed_endpoint.h"

#include <chrono>
#include <utility>

namespace ivy {
namespace {

void AddHeader(std::string name, int64_t value, Response& response) {
  response.headers.push_back({std::move(name), std::to_string(value)});
}

/// TEI's, in milliseconds where a time.
void AddComputeHeaders(const EmbedAnswer& answer, const Model& model, common::TimePoint started,
                       Response& response) {
  using Milliseconds = std::chrono::milliseconds;
  const auto total = common::Clock::Steady().Now() - started;
  const int64_t total_ms = std::chrono::duration_cast<Milliseconds>(total).count();
  response.headers.push_back({"x-compute-type", model.info().device});
  AddHeader("x-compute-time", total_ms, response);
  AddHeader("x-compute-characters", answer.characters, response);
  AddHeader("x-compute-tokens", answer.tokens, response);
  AddHeader("x-total-time", total_ms, response);
  AddHeader("x-tokenization-time", answer.tokenize_us / 1000, response);
  AddHeader("x-queue-time", answer.queue_us / 1000, response);
  AddHeader("x-inference-time", answer.compute_us / 1000, response);
}

void Start(const EmbedContext& context, ParseEmbed parse,
           const std::shared_ptr<Exchange>& exchange) {
  absl::StatusOr<EmbedCall> call = parse(exchange->request, context);
  if (!call.ok()) return exchange->Fail(call.status());
  exchange->request.body = {};  // the job has its own copy of the texts
  const Model& model = *call->job.model;
  context.embedder.Embed(std::move(call->job), exchange,
                         [&context, &model, exchange,
                          render = std::move(call->render)](absl::StatusOr<EmbedAnswer> answer) {
                           if (!answer.ok()) return exchange->Fail(answer.status());
                           const common::TimePoint begin = common::Clock::Steady().Now();
                           Response response;
                           render(*answer, response);
                           const std::chrono::duration<double> took =
                               common::Clock::Steady().Now() - begin;
                           context.render_duration_seconds.Observe(took.count());
                           AddComputeHeaders(*answer, model, exchange->started, response);
                           exchange->Answer(std::move(response));
                         });
}

}  // namespace

void ServeEmbed(const EmbedContext& context, ParseEmbed parse,
                const std::shared_ptr<Exchange>& exchange) {
  context.embedder.Enter(exchange, exchange->request.body.size(),
                         [&context, parse, exchange] { Start(context, parse, exchange); });
}

EmbedJob NewJob(const Model& model, const ApiLimits& limits) {
  EmbedJob job;
  job.model = &model;
  job.prompt = model.default_prompt;
  job.max_length = model.info().max_length;
  job.truncate = limits.auto_truncate;
  job.dimensions = model.info().dimension;
  return job;
}

}  // namespace ivy
