#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/json_view.h"
#include "text/decoders/decoder.h"

namespace text {

/// CTC: drops repeated pieces and `pad`. With `cleanup`, `word_delimiter` is a space, and spaces go
/// as in WordPiece.
class CtcDecoder final : public Decoder {
 public:
  struct Options {
    std::string pad = "<pad>";
    std::string word_delimiter = "|";
    bool cleanup = true;
  };
  explicit CtcDecoder(Options options) : options_(std::move(options)) {}

  static absl::StatusOr<std::unique_ptr<Decoder>> FromJson(const common::JsonView& json);

  void Decode(std::vector<std::string>& pieces) const override;

 private:
  Options options_;
};

}  // namespace text
