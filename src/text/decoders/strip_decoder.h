#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/json_view.h"
#include "text/decoders/decoder.h"

namespace text {

/// Strip: takes up to `start` characters `content` off the front of each piece and up to `stop` off
/// its end.
class StripDecoder final : public Decoder {
 public:
  struct Options {
    std::string content;  ///< one character
    int32_t start = 0, stop = 0;
  };
  explicit StripDecoder(Options options) : options_(std::move(options)) {}

  static absl::StatusOr<std::unique_ptr<Decoder>> FromJson(const common::JsonView& json);

  void Decode(std::vector<std::string>& pieces) const override;

 private:
  Options options_;
};

}  // namespace text
