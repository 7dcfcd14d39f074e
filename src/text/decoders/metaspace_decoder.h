#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/json_view.h"
#include "text/decoders/decoder.h"

namespace text {

/// Metaspace: `replacement` stands for a space, and for nothing in the first piece if the
/// pre-tokenizer puts one in front of texts.
class MetaspaceDecoder final : public Decoder {
 public:
  MetaspaceDecoder(std::string_view replacement, bool prepends)
      : replacement_(replacement), prepends_(prepends) {}

  static absl::StatusOr<std::unique_ptr<Decoder>> FromJson(const common::JsonView& json);

  void Decode(std::vector<std::string>& pieces) const override;

 private:
  std::string replacement_;
  bool prepends_;
};

}  // namespace text
