#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ivy/job/prompt.h"
#include "ivy/job/served_model.h"

namespace ivy {

/// The parts of a reranker's template that are the same for every pair.
struct TemplateIds {
  std::vector<int32_t> prefix, suffix;
};

/// A served model and what is worked out once from it.
struct Model {
  ServedModel served;
  std::map<std::string, std::shared_ptr<const Prompt>, std::less<>> prompts;  ///< Null: no text.
  std::shared_ptr<const Prompt> default_prompt;                               ///< Null: none.
  TemplateIds template_ids;  ///< Where the folder has a rerank_template.

  const wire::ModelInfo& info() const { return served.client->Info(); }
  const hub::ModelFolder& folder() const { return *served.folder; }
  /// Tokens that a text, or a pair, takes beside its own.
  int FixedTokens(bool pair) const;
};

/// The models that are served, by name. Immutable; any thread.
class ModelTable {
 public:
  /// `any_name`: with a single model, requests may name any model or none. InvalidArgument names
  /// the model whose folder, tokenizer and replica do not go together, and how.
  static absl::StatusOr<std::unique_ptr<ModelTable>> Create(std::vector<ServedModel> models,
                                                            bool any_name);

  /// The model a request asks for; nullopt: it names none, which is enough where one is served. An
  /// unknown name lists the known ones (Cause::kModel).
  absl::StatusOr<const Model*> Find(std::optional<std::string_view> name) const;

  const std::vector<std::unique_ptr<Model>>& models() const { return models_; }
  const Model& first() const { return *models_.front(); }

 private:
  absl::Status Add(ServedModel served);

  bool any_name_ = false;
  std::vector<std::unique_ptr<Model>> models_;
  std::map<std::string, const Model*, std::less<>> by_name_;
};

}  // namespace ivy
