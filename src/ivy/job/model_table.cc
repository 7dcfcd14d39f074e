#include "ivy/job/model_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "ivy/http/cause.h"

namespace ivy {
namespace {

/// As sentence-transformers counts it: the prompt's own tokens and the special ones in front, not
/// the one behind.
int CountPromptTokens(const ServedModel& served, const std::string& prompt) {
  if (prompt.empty()) return 0;
  const text::Tokenizer& tokenizer = *served.tokenizer;
  text::Scratch scratch;
  std::vector<int32_t> with, without;
  text::EncodeOptions bare;
  bare.match_special_tokens = !served.plain_special;
  tokenizer.Encode(prompt, bare, scratch, with);
  bare.add_special_tokens = false;
  tokenizer.Encode(prompt, bare, scratch, without);
  const auto begin = std::search(with.begin(), with.end(), without.begin(), without.end());
  return static_cast<int>(begin - with.begin()) + static_cast<int>(without.size());
}

}  // namespace

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
  const wire::ModelInfo& info = served.client->Info();
  if (served.tokenizer->vocabulary_size() > info.vocabulary_size) {
    return absl::InvalidArgumentError(fmt::format(
        "model {}: tokenizer.json has ids up to {}, the weights have rows for ids below {}",
        served.name, served.tokenizer->vocabulary_size() - 1, info.vocabulary_size));
  }
  if (info.max_length <= served.tokenizer->special_tokens()) {
    return absl::InvalidArgumentError(
        fmt::format("model {}: a limit of {} tokens leaves no room beside {} special tokens",
                    served.name, info.max_length, served.tokenizer->special_tokens()));
  }
  auto model = std::make_unique<Model>();
  for (const auto& [name, text] : served.folder->prompts) {
    const int tokens = CountPromptTokens(served, text);
    model->prompts[name] = {.text = text, .tokens = tokens};
  }
  if (const auto& name = served.folder->default_prompt_name) {
    const auto found = model->prompts.find(*name);
    if (found == model->prompts.end()) {
      return absl::InvalidArgumentError(fmt::format(
          "model {}: default prompt \"{}\" is not among its prompts", served.name, *name));
    }
    model->default_prompt = &found->second;
  }
  std::vector<std::string> names = served.aliases;
  names.push_back(served.name);
  model->served = std::move(served);
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
