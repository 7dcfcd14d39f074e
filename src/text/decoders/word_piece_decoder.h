#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/json_view.h"
#include "text/decoders/decoder.h"

namespace text {

/// WordPiece: pieces with the prefix continue a word, others have a space in front. With `cleanup`
/// the space in front of punctuation and English contractions goes.
class WordPieceDecoder final : public Decoder {
 public:
  WordPieceDecoder(std::string_view prefix, bool cleanup) : prefix_(prefix), cleanup_(cleanup) {}

  static absl::StatusOr<std::unique_ptr<Decoder>> FromJson(const common::JsonView& json);

  void Decode(std::vector<std::string>& pieces) const override;

 private:
  std::string prefix_;
  bool cleanup_;
};

}  // namespace text
