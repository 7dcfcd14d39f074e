#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ivy/job/model.h"

namespace ivy {

/// The models that are served, by name. Immutable; any thread.
class ModelTable {
 public:
  /// `any_name`: with a single model, requests may name any model or none. InvalidArgument: a model
  /// that MakeModel refuses, or two of one name.
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
