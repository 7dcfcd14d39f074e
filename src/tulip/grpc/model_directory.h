#pragma once

#include <string>
#include <vector>

#include "common/status.h"
#include "wire/inference.h"

namespace tulip {

/// The models of one server, by served name. Any thread.
class ModelDirectory {
 public:
  /// At least one, of names that differ; they outlive the directory.
  explicit ModelDirectory(std::vector<wire::InferenceClient*> models)
      : models_(std::move(models)) {}

  /// An empty name is enough where one model is served. InvalidArgument, NotFound: name those that
  /// are.
  absl::StatusOr<wire::InferenceClient*> Find(const std::string& name) const;

  const std::vector<wire::InferenceClient*>& models() const { return models_; }

 private:
  const std::vector<wire::InferenceClient*> models_;
};

}  // namespace tulip
