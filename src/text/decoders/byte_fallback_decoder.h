#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/json_view.h"
#include "text/decoders/decoder.h"

namespace text {

/// ByteFallback: runs of pieces of the form <0xE5> are bytes. Each byte of a run that is not
/// well-formed UTF-8 becomes U+FFFD.
class ByteFallbackDecoder final : public Decoder {
 public:
  static absl::StatusOr<std::unique_ptr<Decoder>> FromJson(const common::JsonView& json);

  void Decode(std::vector<std::string>& pieces) const override;
};

}  // namespace text
