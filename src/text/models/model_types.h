#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/models/model.h"
#include "text/pre_tokenizers/piece_form.h"

namespace text {

/// Reads `model` of a tokenizer.json by the type that it names. To add a type, write its file and
/// name it in model_types.cc.
/// `form`: how pieces stand in the words of the pre-tokenizer.
absl::StatusOr<std::unique_ptr<Model>> ReadModel(const common::JsonView& json,
                                                 const PieceForm& form);

}  // namespace text
