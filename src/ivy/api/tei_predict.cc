#include "ivy/api/tei_predict.h"

#include <fmt/format.h>

#include "ivy/api/fields.h"
#include "ivy/api/inputs.h"
#include "ivy/api/scores.h"
#include "ivy/http/cause.h"
#include "ivy/http/json_writer.h"

namespace ivy {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

constexpr char kItem[] = "a list of one or two strings";

/// ["a"] or ["a", "b"].
absl::StatusOr<Input> ReadTextOrPair(array texts, ValuePath path) {
  if (texts.size() == 0) return Failure(Cause::kEmpty, path(), "expected one or two strings");
  if (texts.size() > 2) {
    return Failure(Cause::kValidation, path(),
                   fmt::format("expected one or two strings, got {}", texts.size()));
  }
  const bool pair = texts.size() == 2;
  std::string read[2];
  std::size_t index = 0;
  for (const element value : texts) {
    const auto here = [&] { return fmt::format("{}[{}]", path(), index); };
    ASSIGN_OR_RETURN(read[index], ReadText(value, here, /*may_be_empty=*/pair));
    ++index;
  }
  if (!pair) return Input(std::move(read[0]));
  return Input(TextPair{.first = std::make_shared<const std::string>(std::move(read[0])),
                        .second = std::move(read[1])});
}

absl::Status ReadBatch(array list, Job& job) {
  job.inputs.reserve(list.size());
  for (const element value : list) {
    const auto path = [&] { return job.PathOf(job.inputs.size()); };
    array texts;
    if (value.get(texts)) return WrongType(path(), kItem, value);
    ASSIGN_OR_RETURN(Input input, ReadTextOrPair(texts, path));
    job.inputs.push_back(std::move(input));
  }
  return absl::OkStatus();
}

absl::Status ReadPredictInputs(const JsonBody& body, int items_max, Job& job) {
  job.field = "inputs";
  const auto value = body.Find("inputs");
  if (!value) return Failure(Cause::kValidation, "inputs", "missing");
  const auto path = [] { return std::string("inputs"); };
  job.single = true;
  if (value->is_string()) {
    ASSIGN_OR_RETURN(const std::string_view text, ReadText(*value, path));
    job.inputs.emplace_back(std::string(text));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const array list, ReadList(*value, "inputs",
                                              "a string, a list of one or two, or a list of such "
                                              "lists",
                                              items_max));
  if (list.at(0).value_unsafe().is_string()) {
    ASSIGN_OR_RETURN(Input input, ReadTextOrPair(list, path));
    job.inputs.push_back(std::move(input));
    return absl::OkStatus();
  }
  job.single = false;
  return ReadBatch(list, job);
}

/// A model with a template has no place for a text alone.
absl::Status CheckPairs(const Job& job) {
  if (!job.model->folder().rerank_template) return absl::OkStatus();
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    if (std::holds_alternative<TextPair>(job.inputs[i])) continue;
    return Failure(Cause::kValidation, job.PathOf(i),
                   "this model judges a query and a document, expected two strings");
  }
  return absl::OkStatus();
}

void AppendPredictions(const Job& job, std::span<const float> logits, bool raw_scores,
                       JsonWriter& json) {
  const hub::Classifier& classifier = *job.model->folder().classifier;
  std::vector<float> scores(logits.begin(), logits.end());
  if (!raw_scores) Activate(classifier.activation, scores);
  json.BeginArray();
  for (const std::size_t label : RankDescending(logits)) {
    json.BeginObject().Key("score").Float(scores[label]);
    json.Key("label").String(classifier.labels[label]).EndObject();
  }
  json.EndArray();
}

void Render(bool raw_scores, const Job& job, const Answer& answer, Response& response) {
  JsonWriter json(response.body);
  if (job.single) return AppendPredictions(job, answer.Scores(0), raw_scores, json);
  json.BeginArray();
  for (std::size_t i = 0; i < answer.inputs(); ++i) {
    AppendPredictions(job, answer.Scores(i), raw_scores, json);
  }
  json.EndArray();
}

}  // namespace

absl::StatusOr<Call> ParseTeiPredict(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(Job job, NewJob(body, context, hub::Output::kScores));
  RETURN_IF_ERROR(ReadTeiTruncation(body, job));
  ASSIGN_OR_RETURN(const auto raw, body.Bool("raw_scores"));
  RETURN_IF_ERROR(ReadPredictInputs(body, context.limits.items_max, job));
  RETURN_IF_ERROR(CheckPairs(job));
  const auto& form = job.model->folder().rerank_template;
  if (form) job.instruction = form->default_instruction;
  return Call{.job = std::move(job),
              .render = [raw_scores = raw.value_or(false)](const Job& asked, const Answer& answer,
                                                           Response& response) {
                Render(raw_scores, asked, answer, response);
              }};
}

}  // namespace ivy
