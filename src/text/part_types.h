#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/decoders/decoder.h"
#include "text/models/model.h"
#include "text/normalizers/normalizer.h"
#include "text/pre_tokenizers/pre_tokenizer.h"

// The parts of a tokenizer.json, each by the type that it names. To add a type, write its file and
// name it in the table of its kind in part_types.cc.

namespace text {

absl::StatusOr<std::unique_ptr<Normalizer>> ReadNormalizer(const common::JsonView& json);
absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadPreTokenizer(const common::JsonView& json);
/// `form`: how pieces stand in the pre-tokenizer's words.
absl::StatusOr<std::unique_ptr<Model>> ReadModel(const common::JsonView& json,
                                                 const PieceForm& form);
absl::StatusOr<std::unique_ptr<Decoder>> ReadDecoder(const common::JsonView& json);

}  // namespace text
