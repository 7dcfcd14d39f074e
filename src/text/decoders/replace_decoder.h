#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/json_view.h"
#include "text/decoders/decoder.h"
#include "text/patterns/replace_pattern.h"

namespace text {

/// Replace: puts `content` in the place of each match of a pattern in a piece.
class ReplaceDecoder final : public Decoder {
 public:
  ReplaceDecoder(std::unique_ptr<ReplacePattern> pattern, std::string_view content)
      : pattern_(std::move(pattern)), content_(content) {}

  static absl::StatusOr<std::unique_ptr<Decoder>> FromJson(const common::JsonView& json);

  void Decode(std::vector<std::string>& pieces) const override;

 private:
  std::unique_ptr<ReplacePattern> pattern_;
  std::string content_;
};

}  // namespace text
