#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ivy/job/served_model.h"

namespace ivy {

/// Text that is put in front of each input.
struct Prompt {
  std::string text;
  /// Tokens it takes at the start of a sequence, special tokens in front of it included.
  int tokens = 0;
};

/// A served model and what is worked out once from it.
struct Model {
  ServedModel served;
  std::map<std::string, Prompt, std::less<>> prompts;
  const Prompt* default_prompt = nullptr;  ///< Into `prompts`; null: none.

  const wire::ModelInfo& info() const { return served.client->Info(); }
};

/// The models that are served, by name. Immutable; any thread.
class ModelTable {
 public:
  /// `any_name`: with a single model, requests may name any model or none.
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
