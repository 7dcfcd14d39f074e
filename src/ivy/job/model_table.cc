#include "ivy/job/model_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "ivy/http/cause.h"

namespace ivy {
namespace {

using hub::Output;

std::vector<int32_t> IdsOf(const text::Tokenizer& tokenizer, const std::string& text) {
  text::Scratch scratch;
  std::vector<int32_t> ids;
  tokenizer.Encode(text, {.add_special_tokens = false}, scratch, ids);
  return ids;
}

/// Whether what was worked out of the folder goes with what the replica runs.
absl::Status Check(const Model& model) {
  const wire::ModelInfo& info = model.info();
  const auto wrong = [&](std::string_view message) {
    return absl::InvalidArgumentError(fmt::format("model {}: {}", model.served.name, message));
  };
  const int ids = model.served.tokenizer->vocabulary_size();
  if (ids > info.vocabulary_size) {
    return wrong(
        fmt::format("tokenizer.json has ids up to {}, the weights have rows for ids below {}",
                    ids - 1, info.vocabulary_size));
  }
  const int fixed = std::max(model.FixedTokens(false), model.FixedTokens(true));
  const bool takes_pairs = info.outputs.Has(Output::kScores);
  if (info.max_length <= (takes_pairs ? fixed : model.FixedTokens(false))) {
    return wrong(
        fmt::format("a limit of {} tokens leaves no room beside {} {}", info.max_length,
                    takes_pairs ? fixed : model.FixedTokens(false),
                    model.folder().rerank_template ? "of the template" : "special tokens"));
  }
  const auto& classifier = model.folder().classifier;
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

absl::StatusOr<std::unique_ptr<ModelTable>> ModelTable::Create(std::vector<ServedModel> models,
                                                               bool any_name) {
  if (models.empty()) return absl::InvalidArgumentError("no model to serve");
  auto table = std::make_unique<ModelTable>();
  table->any_name_ = any_name && models.size() == 1;
  for (ServedModel& model : models) RETURN_IF_ERROR(table->Add(std::move(model)));
  return table;
}

absl::Status ModelTable::Add(ServedModel served) {
  CHECK(served.folder != nullptr && served.tokenizer != nullptr && served.client != nullptr);
  auto model = std::make_unique<Model>();
  model->served = std::move(served);
  const hub::ModelFolder& folder = model->folder();
  if (folder.rerank_template) {
    const text::Tokenizer& tokenizer = *model->served.tokenizer;
    model->template_ids = {.prefix = IdsOf(tokenizer, folder.rerank_template->prefix),
                           .suffix = IdsOf(tokenizer, folder.rerank_template->suffix)};
  }
  RETURN_IF_ERROR(Check(*model));
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
  std::vector<std::string> names = model->served.aliases;
  names.push_back(model->served.name);
  models_.push_back(std::move(model));
  for (const std::string& name : names) {
    if (!by_name_.emplace(name, models_.back().get()).second) {
      return absl::InvalidArgumentError(fmt::format("two models are named {}", name));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<const Model*> ModelTable::Find(std::optional<std::string_view> name) const {
  if (any_name_ || (!name && models_.size() == 1)) return &first();
  const auto found = name ? by_name_.find(*name) : by_name_.end();
  if (found != by_name_.end()) return found->second;
  std::string known;
  for (const auto& [served, model] : by_name_) {
    known += (known.empty() ? "" : ", ") + served;
  }
  if (!name) return Failure(Cause::kModel, "model", "missing; served here: " + known);
  return Failure(Cause::kModel, "model",
                 fmt::format("\"{}\" is not served here; known: {}", Excerpt(*name), known));
}

}  // namespace ivy
