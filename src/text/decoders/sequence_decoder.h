#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/json_view.h"
#include "text/decoders/decoder.h"

namespace text {

/// Sequence: decoders one after the other.
class SequenceDecoder final : public Decoder {
 public:
  using Reader =
      absl::FunctionRef<absl::StatusOr<std::unique_ptr<Decoder>>(const common::JsonView&)>;

  explicit SequenceDecoder(std::vector<std::unique_ptr<Decoder>> members)
      : members_(std::move(members)) {}

  /// `read` reads a member.
  static absl::StatusOr<std::unique_ptr<Decoder>> FromJson(const common::JsonView& json,
                                                           Reader read);

  void Decode(std::vector<std::string>& pieces) const override;

 private:
  std::vector<std::unique_ptr<Decoder>> members_;
};

}  // namespace text
