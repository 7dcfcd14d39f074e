#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ivy/job/job.h"

namespace ivy {

/// Where a value stands, for messages; asked for only if something is wrong with it.
using ValuePath = absl::FunctionRef<std::string()>;

/// A string; an empty one is refused (Cause::kEmpty) unless `may_be_empty`.
absl::StatusOr<std::string_view> ReadText(simdjson::dom::element value, ValuePath path,
                                          bool may_be_empty = false);

/// Token ids in [0, vocabulary), at least one.
absl::StatusOr<std::vector<int32_t>> ReadIds(simdjson::dom::array list, ValuePath path,
                                             int vocabulary);

/// A list of 1 to `items_max` (--max-client-batch-size) things.
absl::StatusOr<simdjson::dom::array> ReadList(simdjson::dom::element value, std::string_view path,
                                              std::string_view expected, int items_max);

struct InputRules {
  std::string_view field;  ///< "input"
  int items_max = 0;       ///< --max-client-batch-size
  bool may_mix = false;    ///< Texts and lists of ids in one list.
};

/// Reads a text, a list of ids, or a list of texts or lists of ids into job.inputs (and field,
/// single); job.model is set. Errors give the place: "input[3]: expected a string, got a number".
absl::Status ReadInputs(simdjson::dom::element element, const InputRules& rules, Job& job);

}  // namespace ivy
