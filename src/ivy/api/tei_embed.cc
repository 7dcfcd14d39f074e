#include "ivy/api/tei_embed.h"

#include <fmt/format.h>

#include "ivy/api/inputs.h"
#include "ivy/api/json_body.h"
#include "ivy/api/render.h"
#include "ivy/http/cause.h"

namespace ivy {
namespace {

absl::Status ReadTruncation(const JsonBody& body, EmbedJob& job) {
  ASSIGN_OR_RETURN(const auto truncate, body.Bool("truncate"));
  job.truncate = truncate.value_or(job.truncate);
  ASSIGN_OR_RETURN(const auto direction, body.String("truncation_direction"));
  if (!direction || *direction == "right" || *direction == "Right") return absl::OkStatus();
  job.side = text::TruncationSide::kLeft;
  if (*direction == "left" || *direction == "Left") return absl::OkStatus();
  return Failure(Cause::kValidation, "truncation_direction", "expected \"left\" or \"right\"");
}

/// A prompt is text, so it cannot stand in front of token ids: asked for by name that is an error,
/// and the model's default prompt is left out.
absl::Status ReadPrompt(const JsonBody& body, EmbedJob& job) {
  ASSIGN_OR_RETURN(const auto name, body.String("prompt_name"));
  if (!name) return absl::OkStatus();
  const auto& prompts = job.model->prompts;
  const auto found = prompts.find(*name);
  if (found == prompts.end()) {
    std::string known;
    for (const auto& [key, prompt] : prompts) known += (known.empty() ? "" : ", ") + key;
    return Failure(Cause::kValidation, "prompt_name",
                   fmt::format("\"{}\" is not a prompt of this model; known: {}", Excerpt(*name),
                               known.empty() ? "none" : known));
  }
  job.prompt = &found->second;
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    if (!std::holds_alternative<std::string>(job.inputs[i])) {
      return Failure(Cause::kValidation, job.PathOf(i), "token ids cannot take a prompt");
    }
  }
  return absl::OkStatus();
}

void Render(const EmbedAnswer& answer, Response& response) {
  const auto columns = static_cast<std::size_t>(answer.columns);
  std::string& body = response.body;
  body.reserve(static_cast<std::size_t>(answer.rows) * (FloatsBytesMax(columns) + 1) + 2);
  body += '[';
  for (std::size_t row = 0; row < static_cast<std::size_t>(answer.rows); ++row) {
    if (row > 0) body += ',';
    AppendFloats(std::span(answer.values).subspan(row * columns, columns), body);
  }
  body += ']';
}

}  // namespace

absl::StatusOr<EmbedCall> ParseTeiEmbed(const Request& request, const EmbedContext& context) {
  ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(request.body));
  ASSIGN_OR_RETURN(const auto name, body.String("model"));
  ASSIGN_OR_RETURN(const Model* model, context.models.Find(name));
  EmbedJob job = NewJob(*model, context.limits);
  RETURN_IF_ERROR(ReadTruncation(body, job));
  ASSIGN_OR_RETURN(const auto normalize, body.Bool("normalize"));
  job.normalize = normalize.value_or(true);
  ASSIGN_OR_RETURN(const auto dimensions, body.Int("dimensions", 1, job.dimensions));
  job.dimensions = static_cast<int>(dimensions.value_or(job.dimensions));
  const auto inputs = body.Find("inputs");
  if (!inputs) return Failure(Cause::kValidation, "inputs", "missing");
  RETURN_IF_ERROR(ReadInputs(
      *inputs, {.field = "inputs", .items_max = context.limits.items_max, .may_mix = true}, job));
  RETURN_IF_ERROR(ReadPrompt(body, job));
  return EmbedCall{.job = std::move(job), .render = Render};
}

}  // namespace ivy
