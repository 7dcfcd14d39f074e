#pragma once

#include <filesystem>
#include <ostream>

#include "common/status.h"

struct InspectOptions {
  std::filesystem::path model;  ///< a model folder
  bool json = false;            ///< one JSON object instead of a table
};

/// `parterre inspect`: writes what a model folder is and how it would be run: family, shape,
/// pooling, limits and where they stand, prompts, weights, memory. Reads the headers of the weight
/// files only, so it is quick whatever their size; a folder without weights is inspected too.
absl::Status RunInspect(const InspectOptions& options, std::ostream& out);
