#include "ivy/api/rerank_job.h"

#include <fmt/format.h>

#include "ivy/api/inputs.h"
#include "ivy/api/scores.h"
#include "ivy/http/cause.h"

namespace ivy {
namespace {

using simdjson::dom::element;

absl::Status CheckModel(const Model& model) {
  if (model.info().labels == 1) return absl::OkStatus();
  return Failure(Cause::kModelKind, "model",
                 fmt::format("{} gives {} scores of a text, expected one: it is a classifier, for "
                             "/predict",
                             model.served.name, model.info().labels));
}

absl::Status ReadInstruction(const JsonBody& body, Job& job) {
  ASSIGN_OR_RETURN(const auto instruction, body.String("instruction"));
  ASSIGN_OR_RETURN(const auto instruct, body.String("instruct"));
  const auto& form = job.model->folder().rerank_template;
  if (form) job.instruction = form->default_instruction;
  if (!instruction && !instruct) return absl::OkStatus();
  if (!form || form->body.find("{instruction}") == std::string::npos) {
    return Failure(Cause::kValidation, instruction ? "instruction" : "instruct",
                   "this model takes none");
  }
  job.instruction = instruction ? *instruction : *instruct;
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> ReadDocument(element value, ValuePath path, bool may_be_object) {
  simdjson::dom::object object;
  if (!may_be_object || value.get(object)) return ReadText(value, path, /*may_be_empty=*/true);
  const auto text = FindField(object, "text");
  if (!text) return Failure(Cause::kValidation, path(), "expected an object with \"text\"");
  return ReadText(
      *text, [&] { return path() + ".text"; }, /*may_be_empty=*/true);
}

}  // namespace

absl::StatusOr<Job> NewRerankJob(const JsonBody& body, const ApiContext& context,
                                 std::string_view field, bool may_be_objects) {
  ASSIGN_OR_RETURN(Job job, NewJob(body, context, hub::Output::kScores));
  RETURN_IF_ERROR(CheckModel(*job.model));
  RETURN_IF_ERROR(ReadInstruction(body, job));
  ASSIGN_OR_RETURN(const auto given, body.String("query"));
  if (!given) return Failure(Cause::kValidation, "query", "missing");
  const auto texts = body.Find(field);
  if (!texts) return Failure(Cause::kValidation, field, "missing");
  ASSIGN_OR_RETURN(const auto list,
                   ReadList(*texts, field, "a list of strings", context.limits.items_max));
  job.field = field;
  job.inputs.reserve(list.size());
  const auto query = std::make_shared<const std::string>(*given);
  for (const element value : list) {
    const auto path = [&] { return job.PathOf(job.inputs.size()); };
    ASSIGN_OR_RETURN(const std::string_view text, ReadDocument(value, path, may_be_objects));
    job.inputs.emplace_back(TextPair{.first = query, .second = std::string(text)});
  }
  return job;
}

std::vector<Ranked> Rank(const Job& job, const Answer& answer, bool raw_scores) {
  std::vector<float> logits;
  logits.reserve(answer.inputs());
  for (std::size_t i = 0; i < answer.inputs(); ++i) logits.push_back(answer.Scores(i).front());
  std::vector<Ranked> ranks;
  ranks.reserve(logits.size());
  for (const std::size_t index : RankDescending(logits)) {
    float score = logits[index];
    if (!raw_scores) {
      Activate(job.model->folder().classifier->activation, std::span(&score, 1));
    }
    ranks.push_back({.index = index, .score = score});
  }
  return ranks;
}

}  // namespace ivy
