#pragma once

#include <string>
#include <vector>

#include "common/status.h"
#include "hub/model_folder.h"

/// Which models are served and how their folders are read: flags that serve, ivy and tulip share.
struct ModelOptions {
  std::vector<std::string> model = {};  ///< Folders or hub ids, or NAME=one of them.
  std::string revision = "main";        ///< Of models by id.
  std::string served_model_name = {};
  std::string pooling = {};
  std::string task = "auto";
  std::string rerank_template = "auto";
  int max_length = 0;
};

/// A model by the name that it is served under.
struct NamedModel {
  std::string name;
  hub::ModelFolder folder;
};

/// Finds and opens the folder of each model; `weights`: with its weights, which must be there. No
/// weight is read. Errors name the flag, the file or the key.
absl::StatusOr<std::vector<NamedModel>> OpenModels(const ModelOptions& options, bool weights);
