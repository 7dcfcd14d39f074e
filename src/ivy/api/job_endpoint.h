#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ivy/api/api_context.h"
#include "ivy/api/json_body.h"

namespace ivy {

/// Writes an answer's JSON into response.body.
using RenderAnswer = std::function<void(const Job& job, const Answer& answer, Response& response)>;

/// A parsed request: the job, and how the client wants the answer.
struct Call {
  Job job;
  RenderAnswer render;
};
using ParseCall = absl::StatusOr<Call> (*)(const JsonBody& body, const ApiContext& context);

/// One exchange of a route that asks a model: Parse → Run → Render. `context` outlives it.
void ServeJob(const ApiContext& context, ParseCall parse,
              const std::shared_ptr<Exchange>& exchange);

/// The body of the answer to a request that no model needs to run for.
using AnswerBody = absl::StatusOr<std::string> (*)(const JsonBody& body, const ApiContext& context);

/// One exchange of such a route. `context` outlives it.
void ServeBody(const ApiContext& context, AnswerBody answer,
               const std::shared_ptr<Exchange>& exchange);

/// The model that the body's field `model` asks for. What its replica has told may not be known.
absl::StatusOr<const Model*> FindModel(const JsonBody& body, const ApiContext& context);

/// The same for a job, which depends on what the model's replica has told. Cause::kUnhealthy until
/// one has.
absl::StatusOr<const Model*> FindReadyModel(const JsonBody& body, const ApiContext& context);

/// Cause::kModelKind unless the model gives all of `outputs`: says what it is, and which routes
/// serve it.
absl::Status CheckOutputs(const Model& model, hub::Outputs outputs);

/// What every job has of its model, found as FindReadyModel does: defaults before the request's own
/// fields. The inputs are left.
absl::StatusOr<Job> NewJob(const JsonBody& body, const ApiContext& context, hub::Outputs outputs);

}  // namespace ivy
