#pragma once

#include <ostream>
#include <string>

#include "common/status.h"

struct InspectOptions {
  std::string model;              ///< a model folder or hub id
  std::string revision = "main";  ///< of a model by id
  bool no_weights = false;        ///< download none; those in the folder are still looked at
  bool json = false;              ///< one JSON object instead of a table
};

/// `parterre inspect`: writes what a model is and how it would be run: family, shape,
/// pooling, limits and where they stand, prompts, weights, memory. Reads the headers of the weight
/// files only, so it is quick whatever their size; a folder without weights is inspected too.
absl::Status RunInspect(const InspectOptions& options, std::ostream& out);
