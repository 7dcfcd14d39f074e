#include "tulip/grpc/model_directory.h"

#include <fmt/format.h>

#include <algorithm>

namespace tulip {

absl::StatusOr<wire::InferenceClient*> ModelDirectory::Find(const std::string& name) const {
  if (name.empty() && models_.size() == 1) return models_.front();
  const auto found = std::ranges::find(
      models_, name, [](const wire::InferenceClient* model) { return model->Info().name; });
  if (found != models_.end()) return *found;
  std::string known;
  for (const wire::InferenceClient* model : models_) {
    known += fmt::format("{}'{}'", known.empty() ? "" : ", ", model->Info().name);
  }
  if (name.empty()) {
    return absl::InvalidArgumentError(fmt::format("model: empty, expected one of {}", known));
  }
  return absl::NotFoundError(fmt::format("model '{}' is not served here, only {}", name, known));
}

}  // namespace tulip
