#pragma once

#include <string>

#include "common/status.h"
#include "hub/download/find_model.h"
#include "hub/model_folder.h"

/// The model's folder, found and opened; named by its hub id, if that is how it was found.
absl::StatusOr<hub::ModelFolder> OpenModel(const std::string& model, const std::string& revision,
                                           bool weights, const hub::OpenOptions& open);

/// hub::FindModel as this program asks for it: under its own name.
absl::StatusOr<hub::FoundModel> FindModel(const std::string& model, const std::string& revision,
                                          bool weights);
