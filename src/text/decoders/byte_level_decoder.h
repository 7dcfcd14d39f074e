#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/json_view.h"
#include "text/decoders/decoder.h"

namespace text {

/// ByteLevel: the characters of the pieces stand for bytes, which together are the text. A piece
/// with a character that stands for none is taken as it is.
class ByteLevelDecoder final : public Decoder {
 public:
  static absl::StatusOr<std::unique_ptr<Decoder>> FromJson(const common::JsonView& json);

  void Decode(std::vector<std::string>& pieces) const override;
};

}  // namespace text
