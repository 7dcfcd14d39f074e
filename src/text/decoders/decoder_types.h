#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/decoders/decoder.h"

namespace text {

/// Reads `decoder` of a tokenizer.json by the type that it names. To add a type, write its file and
/// name it in decoder_types.cc.
absl::StatusOr<std::unique_ptr<Decoder>> ReadDecoder(const common::JsonView& json);

}  // namespace text
