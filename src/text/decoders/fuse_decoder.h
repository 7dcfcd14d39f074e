#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/json_view.h"
#include "text/decoders/decoder.h"

namespace text {

/// Fuse: makes one piece of all, for the decoders behind it.
class FuseDecoder final : public Decoder {
 public:
  static absl::StatusOr<std::unique_ptr<Decoder>> FromJson(const common::JsonView& json);

  void Decode(std::vector<std::string>& pieces) const override;
};

}  // namespace text
