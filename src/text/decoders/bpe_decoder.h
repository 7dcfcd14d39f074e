#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/json_view.h"
#include "text/decoders/decoder.h"

namespace text {

/// BPEDecoder: `suffix` ends a word; a space follows unless the text ends.
class BpeDecoder final : public Decoder {
 public:
  explicit BpeDecoder(std::string_view suffix) : suffix_(suffix) {}

  static absl::StatusOr<std::unique_ptr<Decoder>> FromJson(const common::JsonView& json);

  void Decode(std::vector<std::string>& pieces) const override;

 private:
  std::string suffix_;
};

}  // namespace text
