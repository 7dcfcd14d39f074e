#include "ivy/api/job_endpoint.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "ivy/http/cause.h"

namespace ivy {
namespace {

void AddHeader(std::string name, int64_t value, Response& response) {
  response.headers.push_back({std::move(name), std::to_string(value)});
}

/// TEI's, in milliseconds where a time.
void AddComputeHeaders(const Answer& answer, const Model& model, common::TimePoint started,
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

void Reply(const ApiContext& context, const RenderAnswer& render, const Job& job,
           const Answer& answer, Exchange& exchange) {
  const common::TimePoint begin = common::Clock::Steady().Now();
  Response response;
  render(job, answer, response);
  const common::TimePoint end = common::Clock::Steady().Now();
  context.runner.stages().render.Observe(end - begin);
  common::Span(job.trace, "render", begin)
      .Set("parterre.body_bytes", static_cast<int64_t>(response.body.size()))
      .End(end);
  AddComputeHeaders(answer, *job.model, exchange.started, response);
  exchange.Answer(std::move(response));
}

absl::StatusOr<Call> Parse(const Request& request, ParseCall parse, const ApiContext& context) {
  ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(request.body));
  return parse(body, context);
}

void Start(const ApiContext& context, ParseCall parse, const std::shared_ptr<Exchange>& exchange) {
  absl::StatusOr<Call> call = Parse(exchange->request, parse, context);
  if (!call.ok()) return exchange->Fail(call.status());
  exchange->request.body = {};  // the job has its own copy of the texts
  context.runner.Run(std::move(call->job), exchange,
                     [&context, exchange, render = std::move(call->render)](
                         const Job& job, const absl::StatusOr<Answer>& answer) {
                       if (!answer.ok()) return exchange->Fail(answer.status());
                       Reply(context, render, job, *answer, *exchange);
                     });
}

absl::StatusOr<std::string> BodyOf(const Request& request, AnswerBody answer,
                                   const ApiContext& context) {
  ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(request.body));
  return answer(body, context);
}

/// "a reranker, for /rerank and /predict"
std::string WhatItIs(const Model& model) {
  const hub::Outputs outputs = model.info().outputs;
  if (outputs.Has(hub::Output::kScores)) {
    return model.info().labels == 1 ? "a reranker, for /rerank, /v1/rerank and /predict"
                                    : "a classifier, for /predict";
  }
  std::string routes;
  const auto add = [&](hub::Output output, const char* route) {
    if (outputs.Has(output)) routes += (routes.empty() ? "" : ", ") + std::string(route);
  };
  add(hub::Output::kDense, "/v1/embeddings, /embed and /similarity");
  add(hub::Output::kSparse, "/embed_sparse");
  add(hub::Output::kTokens, "/embed_all");
  return "an embedding model, for " + routes;
}

}  // namespace

void ServeJob(const ApiContext& context, ParseCall parse,
              const std::shared_ptr<Exchange>& exchange) {
  context.runner.Enter(exchange, exchange->request.body.size(),
                       [&context, parse, exchange] { Start(context, parse, exchange); });
}

void ServeBody(const ApiContext& context, AnswerBody answer,
               const std::shared_ptr<Exchange>& exchange) {
  context.runner.Enter(exchange, exchange->request.body.size(), [&context, answer, exchange] {
    absl::StatusOr<std::string> body = BodyOf(exchange->request, answer, context);
    if (!body.ok()) return exchange->Fail(body.status());
    Response response;
    response.body = *std::move(body);
    exchange->Answer(std::move(response));
  });
}

absl::StatusOr<const Model*> FindModel(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(const auto name, body.String("model"));
  return context.models.Find(name);
}

absl::StatusOr<const Model*> FindReadyModel(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(const Model* model, FindModel(body, context));
  if (model->served.client->Ready()) return model;
  return Failure(Cause::kUnhealthy,
                 fmt::format("model {}: no replica serves it", model->served.name));
}

absl::Status CheckOutputs(const Model& model, hub::Outputs outputs) {
  if (model.info().outputs.HasAll(outputs)) return absl::OkStatus();
  for (const hub::Output output : hub::kAllOutputs) {
    if (!outputs.Has(output) || model.info().outputs.Has(output)) continue;
    return Failure(Cause::kModelKind, "model",
                   fmt::format("{} gives no {} output: it is {}", model.served.name,
                               hub::OutputName(output), WhatItIs(model)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Job> NewJob(const JsonBody& body, const ApiContext& context, hub::Outputs outputs) {
  ASSIGN_OR_RETURN(const Model* model, FindReadyModel(body, context));
  RETURN_IF_ERROR(CheckOutputs(*model, outputs));
  Job job;
  job.model = model;
  job.outputs = outputs;
  job.max_length = model->info().max_length;
  job.truncate = context.limits.auto_truncate;
  job.dimensions = model->info().dimension;
  return job;
}

}  // namespace ivy
