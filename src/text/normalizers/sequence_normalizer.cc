#include "text/normalizers/sequence_normalizer.h"

#include <algorithm>

#include "text/unicode/utf8.h"

namespace text {
namespace {

/// The characters on both sides of a place in a text.
struct Surroundings {
  std::string before, behind;
  bool from_begin = false, to_end = false;  ///< whether they reach the text's own ends
};

Surroundings SurroundingsOf(std::string_view text, std::size_t at, std::size_t characters) {
  std::size_t begin = at, end = at;
  for (std::size_t i = 0; i < characters && begin > 0; ++i) {
    begin -= LastCodePointSize(text.substr(0, begin));
  }
  for (std::size_t i = 0; i < characters && end < text.size(); ++i) DecodeUtf8(text, end);
  return {std::string(text.substr(begin, at - begin)), std::string(text.substr(at, end - at)),
          begin == 0, end == text.size()};
}

/// Makes of what surrounds a place, at which `member` can cut, what surrounds it in the normal
/// form. The outermost characters, whose own surroundings are not known, are given up; false if the
/// rest hangs together with them, or nothing is left.
bool Advance(const Normalizer& member, Surroundings& place) {
  const std::string whole = place.before + place.behind;
  std::string_view kept = whole;
  std::size_t before = place.before.size();
  if (!place.from_begin) {
    std::size_t at = 0;
    DecodeUtf8(whole, at);
    if (at >= before || !member.CanCut(whole, at)) return false;
    kept.remove_prefix(at);
    before -= at;
  }
  if (!place.to_end) {
    const std::size_t at = whole.size() - LastCodePointSize(whole);
    if (at <= place.before.size() || !member.CanCut(whole, at)) return false;
    kept.remove_suffix(whole.size() - at);
  }
  NormalizerScratch scratch;
  place.before.clear();
  place.behind.clear();
  if (place.from_begin) {
    member.Normalize(kept.substr(0, before), scratch, place.before);
  } else {
    member.NormalizeRest(kept.substr(0, before), scratch, place.before);
  }
  member.NormalizeRest(kept.substr(before), scratch, place.behind);
  return !place.before.empty() && !place.behind.empty();
}

}  // namespace

// A Sequence in a Sequence is the same as its members in its place.
absl::Status SequenceNormalizer::Read(const common::JsonView& json, Reader read,
                                      std::vector<std::unique_ptr<Normalizer>>& members) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "normalizers"}));
  ASSIGN_OR_RETURN(const common::JsonView list, json.Member("normalizers"));
  return list.ForEachElement([&](const common::JsonView& element) -> absl::Status {
    ASSIGN_OR_RETURN(const std::string_view type, element.String("type"));
    if (type == "Sequence") return Read(element, read, members);
    ASSIGN_OR_RETURN(auto member, read(element));
    members.push_back(std::move(member));
    return absl::OkStatus();
  });
}

absl::StatusOr<std::unique_ptr<Normalizer>> SequenceNormalizer::FromJson(
    const common::JsonView& json, Reader read) {
  std::vector<std::unique_ptr<Normalizer>> members;
  RETURN_IF_ERROR(Read(json, read, members));
  return std::make_unique<SequenceNormalizer>(std::move(members));
}

void SequenceNormalizer::Normalize(std::string_view text, NormalizerScratch& scratch,
                                   std::string& out) const {
  Run(&Normalizer::Normalize, text, scratch, out);
}

void SequenceNormalizer::NormalizeRest(std::string_view text, NormalizerScratch& scratch,
                                       std::string& out) const {
  Run(&Normalizer::NormalizeRest, text, scratch, out);
}

void SequenceNormalizer::Run(Step step, std::string_view text, NormalizerScratch& scratch,
                             std::string& out) const {
  if (members_.empty()) {
    out += text;
    return;
  }
  for (std::size_t i = 0; i + 1 < members_.size(); ++i) {
    std::string& to = scratch.texts[i % 2];
    to.clear();
    (*members_[i].*step)(text, scratch, to);
    text = to;
  }
  (*members_.back().*step)(text, scratch, out);
}

void SequenceNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const {
  for (const auto& member : members_) member->NormalizeAligned(text, scratch);
}

// Each member is asked about the text that it will see, of which a few characters are made.
bool SequenceNormalizer::CanCut(std::string_view text, std::size_t at) const {
  Surroundings place = SurroundingsOf(text, at, members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i]->CanCut(place.before + place.behind, place.before.size())) return false;
    if (i + 1 < members_.size() && !Advance(*members_[i], place)) return false;
  }
  return true;
}

bool SequenceNormalizer::LowerCases() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const auto& member) { return member->LowerCases(); });
}

}  // namespace text
