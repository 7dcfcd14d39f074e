#include "text/decoders/sequence_decoder.h"

namespace text {

absl::StatusOr<std::unique_ptr<Decoder>> SequenceDecoder::FromJson(const common::JsonView& json,
                                                                   Reader read) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "decoders"}));
  ASSIGN_OR_RETURN(const common::JsonView list, json.Member("decoders"));
  std::vector<std::unique_ptr<Decoder>> members;
  RETURN_IF_ERROR(list.ForEachElement([&](const common::JsonView& element) -> absl::Status {
    ASSIGN_OR_RETURN(auto member, read(element));
    members.push_back(std::move(member));
    return absl::OkStatus();
  }));
  return std::make_unique<SequenceDecoder>(std::move(members));
}

void SequenceDecoder::Decode(std::vector<std::string>& pieces) const {
  for (const auto& member : members_) member->Decode(pieces);
}

}  // namespace text
