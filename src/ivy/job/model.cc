#include "ivy/job/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ivy {
namespace {

using hub::Output;

std::vector<int32_t> IdsOf(const text::Tokenizer& tokenizer, const std::string& text) {
  text::Scratch scratch;
  std::vector<int32_t> ids;
  tokenizer.Encode(text, {.add_special_tokens = false}, scratch, ids);
  return ids;
}

/// Ids beyond the embedding table must not reach the engine; a limit that special tokens fill
/// leaves no room for text.
absl::Status Check(const Model& model, const wire::ModelInfo& info) {
  const auto wrong = [&](std::string_view message) {
    return absl::InvalidArgumentError(fmt::format("model {}: {}", model.served.name, message));
  };
  const hub::ModelFolder& folder = model.folder();
  const int ids = model.served.tokenizer->vocabulary_size();
  if (ids > info.vocabulary_size) {
    return wrong(fmt::format("the tokenizer has ids up to {}, the model's vocab_size is {}",
                             ids - 1, info.vocabulary_size));
  }
  if (folder.lower_case && !model.served.tokenizer->lower_cases()) {
    return wrong(
        "sentence_bert_config.json: do_lower_case: is true, but the tokenizer keeps the case");
  }
  const bool takes_pairs = info.outputs.Has(Output::kScores);
  const int fixed = std::max(model.FixedTokens(false), takes_pairs ? model.FixedTokens(true) : 0);
  if (info.max_length <= fixed) {
    return wrong(
        fmt::format("a limit of {} tokens{} leaves no room beside {} {}", info.max_length,
                    folder.max_length_source.empty() ? "" : " (" + folder.max_length_source + ")",
                    fixed, folder.rerank_template ? "of the template" : "special tokens"));
  }
  const auto& classifier = folder.classifier;
  if (takes_pairs && (!classifier || std::ssize(classifier->labels) != info.labels)) {
    return wrong(fmt::format("the folder has {} labels, the replica gives {} scores",
                             classifier ? classifier->labels.size() : 0, info.labels));
  }
  const auto& ranges = model.served.int8_ranges;
  if (ranges && std::ssize(ranges->min) != info.dimension) {
    return wrong(fmt::format("--int8-ranges: expected {} ranges, one for each component, got {}",
                             info.dimension, ranges->min.size()));
  }
  return absl::OkStatus();
}

}  // namespace

int Model::FixedTokens(bool pair) const {
  if (!pair) return served.tokenizer->special_tokens();
  if (!folder().rerank_template) return served.tokenizer->special_tokens_of_pair();
  return static_cast<int>(template_ids.prefix.size() + template_ids.suffix.size());
}

absl::StatusOr<std::unique_ptr<Model>> MakeModel(ServedModel served, const wire::ModelInfo& info) {
  auto model = std::make_unique<Model>();
  model->served = std::move(served);
  const hub::ModelFolder& folder = model->folder();
  if (folder.rerank_template) {
    const text::Tokenizer& tokenizer = *model->served.tokenizer;
    model->template_ids = {.prefix = IdsOf(tokenizer, folder.rerank_template->prefix),
                           .suffix = IdsOf(tokenizer, folder.rerank_template->suffix)};
  }
  RETURN_IF_ERROR(Check(*model, info));
  for (const auto& [name, text] : folder.prompts) {
    model->prompts[name] = MakePrompt(model->served, text);
  }
  if (const auto& name = folder.default_prompt_name) {
    const auto found = model->prompts.find(*name);
    if (found == model->prompts.end()) {
      return absl::InvalidArgumentError(fmt::format(
          "model {}: default prompt \"{}\" is not among its prompts", model->served.name, *name));
    }
    model->default_prompt = found->second;
  }
  return model;
}

}  // namespace ivy
