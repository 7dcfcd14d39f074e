#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/normalizers/normalizer.h"

namespace text {

/// Reads `normalizer` of a tokenizer.json by the type that it names. To add a type, write its file
/// and name it in normalizer_types.cc.
absl::StatusOr<std::unique_ptr<Normalizer>> ReadNormalizer(const common::JsonView& json);

}  // namespace text
