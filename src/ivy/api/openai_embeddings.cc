#include "ivy/api/openai_embeddings.h"

#include <fmt/format.h>

#include "ivy/api/inputs.h"
#include "ivy/api/json_body.h"
#include "ivy/api/render.h"
#include "ivy/http/cause.h"
#include "ivy/http/json_writer.h"

namespace ivy {
namespace {

/// Bytes of one data entry beside its numbers.
constexpr std::size_t kEntryBytes = 64;

absl::StatusOr<bool> ReadBase64(const JsonBody& body) {
  ASSIGN_OR_RETURN(const auto format, body.String("encoding_format"));
  if (!format || *format == "float") return false;
  if (*format == "base64") return true;
  return Failure(Cause::kValidation, "encoding_format",
                 fmt::format("expected \"float\" or \"base64\", got \"{}\"", Excerpt(*format)));
}

/// vLLM's truncate_prompt_tokens: -1 cuts at the model's limit, n at n tokens.
absl::Status ReadTruncation(const JsonBody& body, EmbedJob& job) {
  ASSIGN_OR_RETURN(const auto tokens, body.Int("truncate_prompt_tokens", -1, job.max_length));
  if (tokens) {
    const int special = job.model->served.tokenizer->special_tokens();
    if (*tokens >= 0 && *tokens <= special) {
      return Failure(
          Cause::kValidation, "truncate_prompt_tokens",
          fmt::format("expected -1 or more than the {} special tokens, got {}", special, *tokens));
    }
    job.truncate = true;
    if (*tokens > 0) job.max_length = static_cast<int>(*tokens);
  }
  ASSIGN_OR_RETURN(const auto side, body.String("truncation_side"));
  if (!side || *side == "right") return absl::OkStatus();
  job.side = text::TruncationSide::kLeft;
  if (*side == "left") return absl::OkStatus();
  return Failure(Cause::kValidation, "truncation_side", "expected \"left\" or \"right\"");
}

void Render(const std::string& model, bool base64, const EmbedAnswer& answer, Response& response) {
  const auto rows = static_cast<std::size_t>(answer.rows);
  const auto columns = static_cast<std::size_t>(answer.columns);
  std::string& body = response.body;
  body.reserve(rows * (kEntryBytes + (base64 ? Base64Bytes(columns) : FloatsBytesMax(columns))) +
               256);
  body += R"({"object":"list","data":[)";
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span values = std::span(answer.values).subspan(row * columns, columns);
    if (row > 0) body += ',';
    fmt::format_to(std::back_inserter(body), R"({{"object":"embedding","index":{},"embedding":)",
                   row);
    base64 ? AppendBase64(values, body) : AppendFloats(values, body);
    body += '}';
  }
  body += R"(],"model":)";
  AppendJsonString(model, body);
  fmt::format_to(std::back_inserter(body),
                 R"(,"usage":{{"prompt_tokens":{0},"total_tokens":{0}}}}})", answer.tokens);
}

}  // namespace

absl::StatusOr<EmbedCall> ParseOpenAiEmbeddings(const Request& request,
                                                const EmbedContext& context) {
  ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(request.body));
  ASSIGN_OR_RETURN(const auto name, body.String("model"));
  ASSIGN_OR_RETURN(const Model* model, context.models.Find(name));
  EmbedJob job = NewJob(*model, context.limits);
  ASSIGN_OR_RETURN(const bool base64, ReadBase64(body));
  ASSIGN_OR_RETURN(const auto dimensions, body.Int("dimensions", 1, job.dimensions));
  job.dimensions = static_cast<int>(dimensions.value_or(job.dimensions));
  ASSIGN_OR_RETURN(const auto normalize, body.Bool("normalize"));
  job.normalize = normalize.value_or(true);
  RETURN_IF_ERROR(body.String("user").status());
  RETURN_IF_ERROR(ReadTruncation(body, job));
  const auto input = body.Find("input");
  if (!input) return Failure(Cause::kValidation, "input", "missing");
  RETURN_IF_ERROR(ReadInputs(
      *input, {.field = "input", .items_max = context.limits.items_max, .may_mix = false}, job));
  return EmbedCall{.job = std::move(job),
                   .render = [&served = model->served.name, base64](const EmbedAnswer& answer,
                                                                    Response& response) {
                     Render(served, base64, answer, response);
                   }};
}

}  // namespace ivy
