#include "ivy/api/rerank.h"

#include <algorithm>
#include <limits>

#include "ivy/api/fields.h"
#include "ivy/api/render.h"
#include "ivy/api/rerank_job.h"
#include "ivy/http/json_writer.h"
#include "ivy/http/request_id.h"

namespace ivy {
namespace {

/// How the client wants the ranks.
struct RerankShape {
  bool raw_scores = false;
  bool texts = false;         ///< Repeat them.
  std::size_t top_n = 0;      ///< At least 1.
  const char* version = "1";  ///< Of Cohere's API.
};

const std::string& TextOf(const Job& job, std::size_t index) {
  return std::get<TextPair>(job.inputs[index]).second;
}

void RenderTei(const RerankShape& shape, const Job& job, const Answer& answer, Response& response) {
  std::string& body = response.body;
  JsonWriter json(body);
  json.BeginArray();
  for (const Ranked& rank : Rank(job, answer, shape.raw_scores)) {
    json.BeginObject().Key("index").Int(static_cast<int64_t>(rank.index));
    if (shape.texts) json.Key("text").String(TextOf(job, rank.index));
    json.Key("score").Float(rank.score).EndObject();
  }
  json.EndArray();
}

void RenderResults(const RerankShape& shape, const Job& job, const Answer& answer,
                   JsonWriter& json) {
  std::vector<Ranked> ranks = Rank(job, answer, shape.raw_scores);
  ranks.resize(std::min(ranks.size(), shape.top_n));
  json.BeginArray();
  for (const Ranked& rank : ranks) {
    json.BeginObject().Key("index").Int(static_cast<int64_t>(rank.index));
    json.Key("relevance_score").Float(rank.score);
    if (shape.texts) {
      json.Key("document").BeginObject().Key("text").String(TextOf(job, rank.index)).EndObject();
    }
    json.EndObject();
  }
  json.EndArray();
}

void Render(const RerankShape& shape, const Job& job, const Answer& answer, Response& response) {
  JsonWriter json(response.body);
  json.BeginObject().Key("id").String("rerank-" + RequestId({}));
  json.Key("model").String(job.model->served.name).Key("results");
  RenderResults(shape, job, answer, json);
  json.Key("usage").BeginObject().Key("prompt_tokens").Int(answer.tokens);
  json.Key("total_tokens").Int(answer.tokens).EndObject();
  json.Key("meta").BeginObject().Key("api_version").BeginObject();
  json.Key("version").String(shape.version).EndObject();
  json.Key("tokens").BeginObject().Key("input_tokens").Int(answer.tokens).EndObject();
  json.EndObject().EndObject();
}

Call MakeCall(Job job, const RerankShape& shape,
              void (*render)(const RerankShape&, const Job&, const Answer&, Response&)) {
  job.echoes = shape.texts;
  return {.job = std::move(job),
          .render = [shape, render](const Job& asked, const Answer& answer, Response& response) {
            render(shape, asked, answer, response);
          }};
}

absl::StatusOr<Call> ParseDocuments(const JsonBody& body, const ApiContext& context,
                                    RerankShape shape) {
  ASSIGN_OR_RETURN(Job job, NewRerankJob(body, context, "documents", /*may_be_objects=*/true));
  RETURN_IF_ERROR(ReadVllmTruncation(body, /*pairs=*/true, job));
  ASSIGN_OR_RETURN(const auto top_n, body.Int("top_n", 1, std::numeric_limits<int32_t>::max()));
  shape.top_n = static_cast<std::size_t>(top_n.value_or(std::ssize(job.inputs)));
  ASSIGN_OR_RETURN(const auto texts, body.Bool("return_documents"));
  shape.texts = texts.value_or(shape.texts);
  ASSIGN_OR_RETURN(const auto raw, body.Bool("raw_scores"));
  shape.raw_scores = raw.value_or(false);
  return MakeCall(std::move(job), shape, Render);
}

}  // namespace

absl::StatusOr<Call> ParseTeiRerank(const JsonBody& body, const ApiContext& context) {
  if (!body.Find("texts") && body.Find("documents")) return ParseRerankV1(body, context);
  ASSIGN_OR_RETURN(Job job, NewRerankJob(body, context, "texts", /*may_be_objects=*/false));
  RETURN_IF_ERROR(ReadTeiTruncation(body, job));
  ASSIGN_OR_RETURN(const auto raw, body.Bool("raw_scores"));
  ASSIGN_OR_RETURN(const auto texts, body.Bool("return_text"));
  return MakeCall(std::move(job),
                  {.raw_scores = raw.value_or(false), .texts = texts.value_or(false)}, RenderTei);
}

absl::StatusOr<Call> ParseRerankV1(const JsonBody& body, const ApiContext& context) {
  return ParseDocuments(body, context, {.texts = true, .version = "1"});
}

absl::StatusOr<Call> ParseRerankV2(const JsonBody& body, const ApiContext& context) {
  return ParseDocuments(body, context, {.texts = false, .version = "2"});
}

}  // namespace ivy
