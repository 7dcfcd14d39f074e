#include "ivy/api/openai_embeddings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ivy/api/fields.h"
#include "ivy/api/inputs.h"
#include "ivy/api/render.h"
#include "ivy/api/vector_format.h"
#include "ivy/http/cause.h"
#include "ivy/http/json_writer.h"

namespace ivy {
namespace {

using hub::Output;

/// What `outputs` may name here.
constexpr Output kNamed[] = {Output::kDense, Output::kSparse, Output::kColbert};

/// Bytes of one data entry beside its numbers.
constexpr std::size_t kEntryBytes = 64;

std::string NamesOf(hub::Outputs outputs) {
  std::string names;
  for (const Output output : kNamed) {
    if (!outputs.Has(output)) continue;
    names.append(names.empty() ? "" : ", ").append(hub::OutputName(output));
  }
  return names.empty() ? "none of those this route knows" : names;
}

absl::StatusOr<hub::Outputs> ReadOutputs(const JsonBody& body, const Model& model) {
  const auto value = body.Find("outputs");
  if (!value) return hub::Outputs(Output::kDense);
  ASSIGN_OR_RETURN(const auto list, ReadList(*value, "outputs", "a list of names", 16));
  hub::Outputs outputs;
  std::size_t index = 0;
  for (const simdjson::dom::element item : list) {
    const auto path = [&] { return fmt::format("outputs[{}]", index); };
    ASSIGN_OR_RETURN(const std::string_view name, ReadText(item, path));
    const auto* found = std::find_if(std::begin(kNamed), std::end(kNamed),
                                     [&](Output known) { return name == hub::OutputName(known); });
    if (found == std::end(kNamed) || !model.info().outputs.Has(*found)) {
      return Failure(Cause::kValidation, path(),
                     fmt::format("\"{}\" is no output of this model, which gives {}", Excerpt(name),
                                 NamesOf(model.info().outputs)));
    }
    outputs |= *found;
    ++index;
  }
  return outputs;
}

/// Vectors of the tokens are floats whatever type the dense vector has.
void AppendColbert(const Answer::Vectors& vectors, const VectorFormat& format, std::string& out) {
  if (!format.base64) return AppendRows(vectors, out);
  out += '[';
  for (std::size_t row = 0; row < vectors.rows(); ++row) {
    if (row > 0) out += ',';
    AppendBase64(BytesOf(vectors.row(row)), out);
  }
  out += ']';
}

void Render(const VectorFormat& format, const Job& job, const Answer& answer, Response& response) {
  VectorWriter writer(job, format);
  std::string& body = response.body;
  const bool dense = job.outputs.Has(Output::kDense);
  body.reserve(answer.inputs() * (kEntryBytes + (dense ? writer.BytesMax() : 0)) + 256);
  body += R"({"object":"list","data":[)";
  for (std::size_t i = 0; i < answer.inputs(); ++i) {
    if (i > 0) body += ',';
    fmt::format_to(std::back_inserter(body), R"({{"object":"embedding","index":{})", i);
    if (dense) {
      body += R"(,"embedding":)";
      writer.Append(answer.Dense(i), body);
    }
    if (job.outputs.Has(Output::kSparse)) {
      body += R"(,"sparse_embedding":)";
      AppendSparse(answer.Sparse(i), body);
    }
    if (job.outputs.Has(Output::kColbert)) {
      body += R"(,"colbert":)";
      AppendColbert(answer.Colbert(i), format, body);
    }
    body += '}';
  }
  body += R"(],"model":)";
  AppendJsonString(job.model->served.name, body);
  fmt::format_to(std::back_inserter(body),
                 R"(,"usage":{{"prompt_tokens":{0},"total_tokens":{0}}}}})", answer.tokens);
}

}  // namespace

absl::StatusOr<Call> ParseOpenAiEmbeddings(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(const Model* model, FindReadyModel(body, context));
  ASSIGN_OR_RETURN(const hub::Outputs outputs, ReadOutputs(body, *model));
  ASSIGN_OR_RETURN(Job job, NewJob(body, context, outputs));
  ASSIGN_OR_RETURN(const auto normalize, body.Bool("normalize"));
  job.normalize = normalize.value_or(model->folder().normalize);
  RETURN_IF_ERROR(ReadDimensions(body, job));
  ASSIGN_OR_RETURN(const VectorFormat format, ReadVectorFormat(body, job));
  RETURN_IF_ERROR(body.String("user").status());
  RETURN_IF_ERROR(ReadVllmTruncation(body, /*pairs=*/false, job));
  const auto input = body.Find("input");
  if (!input) return Failure(Cause::kValidation, "input", "missing");
  RETURN_IF_ERROR(
      ReadInputs(*input, {.field = "input", .items_max = context.limits.items_max}, job));
  RETURN_IF_ERROR(ReadPrompt(body, job));
  return Call{.job = std::move(job),
              .render = [format](const Job& asked, const Answer& answer, Response& response) {
                Render(format, asked, answer, response);
              }};
}

}  // namespace ivy
