#pragma once

#include <simdjson.h>

#include <string_view>

#include "ivy/job/embed_job.h"

namespace ivy {

struct InputRules {
  std::string_view field;  ///< "input"
  int items_max = 0;       ///< --max-client-batch-size
  bool may_mix = false;    ///< Texts and lists of ids in one list.
};

/// Reads a text, a list of ids, or a list of texts or lists of ids into job.inputs (and field,
/// single); job.model is set. Errors give the place: "input[3]: expected a string, got a number".
absl::Status ReadInputs(simdjson::dom::element element, const InputRules& rules, EmbedJob& job);

}  // namespace ivy
