#include "ivy/api/tei_similarity.h"

#include <fmt/format.h>

#include "ivy/api/fields.h"
#include "ivy/api/inputs.h"
#include "ivy/api/render.h"
#include "ivy/http/cause.h"

namespace ivy {
namespace {

constexpr char kSource[] = "inputs.source_sentence";
constexpr char kSentences[] = "inputs.sentences";

absl::Status ReadSentences(const JsonBody& inputs, int items_max, Job& job) {
  job.first_field = kSource;
  job.field = kSentences;
  const auto source = inputs.Find("source_sentence");
  if (!source) return Failure(Cause::kValidation, kSource, "missing");
  const auto sentences = inputs.Find("sentences");
  if (!sentences) return Failure(Cause::kValidation, kSentences, "missing");
  // The source counts as an item.
  ASSIGN_OR_RETURN(const auto list,
                   ReadList(*sentences, kSentences, "a list of strings", items_max - 1));
  job.inputs.reserve(list.size() + 1);
  const auto path = [&] { return job.PathOf(job.inputs.size()); };
  ASSIGN_OR_RETURN(const std::string_view text, ReadText(*source, path));
  job.inputs.emplace_back(std::string(text));
  for (const simdjson::dom::element item : list) {
    ASSIGN_OR_RETURN(const std::string_view sentence, ReadText(item, path));
    job.inputs.emplace_back(std::string(sentence));
  }
  return absl::OkStatus();
}

/// The vectors are of unit length, or 0.
float Cosine(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return static_cast<float>(sum);
}

void Render(const Job&, const Answer& answer, Response& response) {
  std::vector<float> cosines;
  for (std::size_t i = 1; i < answer.inputs(); ++i) {
    cosines.push_back(Cosine(answer.Dense(0), answer.Dense(i)));
  }
  AppendFloats(cosines, response.body);
}

}  // namespace

absl::StatusOr<Call> ParseTeiSimilarity(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(Job job, NewJob(body, context, hub::Output::kDense));
  job.normalize = true;
  ASSIGN_OR_RETURN(const auto inputs, body.Object("inputs"));
  if (!inputs) return Failure(Cause::kValidation, "inputs", "missing");
  RETURN_IF_ERROR(ReadSentences(*inputs, context.limits.items_max, job));
  ASSIGN_OR_RETURN(const auto parameters, body.Object("parameters"));
  job.prompt = job.model->default_prompt;
  if (parameters) {
    RETURN_IF_ERROR(ReadTeiTruncation(*parameters, job));
    RETURN_IF_ERROR(ReadPrompt(*parameters, job));
  }
  return Call{.job = std::move(job), .render = Render};
}

}  // namespace ivy
