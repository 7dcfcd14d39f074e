#include "ivy/api/tei_embed.h"

#include "ivy/api/fields.h"
#include "ivy/api/inputs.h"
#include "ivy/api/render.h"
#include "ivy/api/vector_format.h"
#include "ivy/http/cause.h"

namespace ivy {
namespace {

absl::StatusOr<Job> ReadJob(const JsonBody& body, const ApiContext& context, hub::Output output) {
  ASSIGN_OR_RETURN(Job job, NewJob(body, context, output));
  RETURN_IF_ERROR(ReadTeiTruncation(body, job));
  const auto inputs = body.Find("inputs");
  if (!inputs) return Failure(Cause::kValidation, "inputs", "missing");
  RETURN_IF_ERROR(ReadInputs(
      *inputs, {.field = "inputs", .items_max = context.limits.items_max, .may_mix = true}, job));
  RETURN_IF_ERROR(ReadPrompt(body, job));
  return job;
}

/// Renders a list of what `append` writes for each input.
template <typename Append>
void RenderList(const Answer& answer, Response& response, Append append) {
  response.body += '[';
  for (std::size_t i = 0; i < answer.inputs(); ++i) {
    if (i > 0) response.body += ',';
    append(i, response.body);
  }
  response.body += ']';
}

void RenderDense(const Job& job, const Answer& answer, Response& response) {
  const VectorFormat format;
  VectorWriter writer(job, format);
  response.body.reserve(answer.inputs() * (writer.BytesMax() + 1) + 2);
  RenderList(answer, response,
             [&](std::size_t i, std::string& out) { writer.Append(answer.Dense(i), out); });
}

void RenderSparse(const Job&, const Answer& answer, Response& response) {
  RenderList(answer, response,
             [&](std::size_t i, std::string& out) { AppendSparse(answer.Sparse(i), out); });
}

void RenderTokens(const Job&, const Answer& answer, Response& response) {
  response.body.reserve(FloatsBytesMax(answer.size()));
  RenderList(answer, response,
             [&](std::size_t i, std::string& out) { AppendRows(answer.Tokens(i), out); });
}

}  // namespace

absl::StatusOr<Call> ParseTeiEmbed(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(Job job, ReadJob(body, context, hub::Output::kDense));
  ASSIGN_OR_RETURN(const auto normalize, body.Bool("normalize"));
  job.normalize = normalize.value_or(true);
  RETURN_IF_ERROR(ReadDimensions(body, job));
  return Call{.job = std::move(job), .render = RenderDense};
}

absl::StatusOr<Call> ParseTeiEmbedSparse(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(Job job, ReadJob(body, context, hub::Output::kSparse));
  return Call{.job = std::move(job), .render = RenderSparse};
}

absl::StatusOr<Call> ParseTeiEmbedAll(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(Job job, ReadJob(body, context, hub::Output::kTokens));
  return Call{.job = std::move(job), .render = RenderTokens};
}

}  // namespace ivy
