#include "ivy/api/fields.h"

#include <fmt/format.h>

#include "ivy/http/cause.h"

namespace ivy {
namespace {

absl::Status ReadSide(const JsonBody& body, std::string_view field, Job& job) {
  ASSIGN_OR_RETURN(const auto side, body.String(field));
  if (!side || *side == "right" || *side == "Right") return absl::OkStatus();
  job.side = text::TruncationSide::kLeft;
  if (*side == "left" || *side == "Left") return absl::OkStatus();
  return Failure(Cause::kValidation, field,
                 fmt::format("expected \"left\" or \"right\", got \"{}\"", Excerpt(*side)));
}

}  // namespace

absl::Status ReadTeiTruncation(const JsonBody& body, Job& job) {
  ASSIGN_OR_RETURN(const auto truncate, body.Bool("truncate"));
  job.truncate = truncate.value_or(job.truncate);
  return ReadSide(body, "truncation_direction", job);
}

absl::Status ReadVllmTruncation(const JsonBody& body, bool pairs, Job& job) {
  ASSIGN_OR_RETURN(const auto tokens, body.Int("truncate_prompt_tokens", -1, job.max_length));
  if (tokens) {
    const int fixed = job.model->FixedTokens(pairs);
    if (*tokens >= 0 && *tokens <= fixed) {
      return Failure(Cause::kValidation, "truncate_prompt_tokens",
                     fmt::format("expected -1 or more than the {} tokens that every input has, got "
                                 "{}",
                                 fixed, *tokens));
    }
    job.truncate = true;
    if (*tokens > 0) job.max_length = static_cast<int>(*tokens);
  }
  return ReadSide(body, "truncation_side", job);
}

absl::StatusOr<std::shared_ptr<const Prompt>> ReadPrompt(const JsonBody& body, const Model& model) {
  ASSIGN_OR_RETURN(const auto name, body.String("prompt_name"));
  ASSIGN_OR_RETURN(const auto text, body.String("prompt"));
  if (name && text) {
    return Failure(Cause::kValidation, "prompt", "does not go with prompt_name: give one of them");
  }
  if (text) return MakePrompt(model.served, std::string(*text));
  if (!name) return model.default_prompt;
  const auto found = model.prompts.find(*name);
  if (found != model.prompts.end()) return found->second;
  std::string known;
  for (const auto& [key, prompt] : model.prompts) known += (known.empty() ? "" : ", ") + key;
  return Failure(Cause::kValidation, "prompt_name",
                 fmt::format("\"{}\" is not a prompt of this model; known: {}", Excerpt(*name),
                             known.empty() ? "none" : known));
}

absl::Status ReadPrompt(const JsonBody& body, Job& job) {
  ASSIGN_OR_RETURN(job.prompt, ReadPrompt(body, *job.model));
  if (!body.Find("prompt_name") && !body.Find("prompt")) return absl::OkStatus();
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    if (!std::holds_alternative<std::string>(job.inputs[i])) {
      return Failure(Cause::kValidation, job.PathOf(i), "token ids cannot take a prompt");
    }
  }
  return absl::OkStatus();
}

absl::Status ReadDimensions(const JsonBody& body, Job& job) {
  if (!job.outputs.Has(hub::Output::kDense)) {
    if (!body.Find("dimensions")) return absl::OkStatus();
    return Failure(Cause::kValidation, "dimensions", "no dense output was asked for");
  }
  ASSIGN_OR_RETURN(const auto dimensions, body.Int("dimensions", 1, job.dimensions));
  job.dimensions = static_cast<int>(dimensions.value_or(job.dimensions));
  return absl::OkStatus();
}

}  // namespace ivy
