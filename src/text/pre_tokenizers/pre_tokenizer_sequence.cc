#include "text/pre_tokenizers/pre_tokenizer_sequence.h"

#include <algorithm>

#include "text/pre_tokenizers/spaced_words.h"
#include "text/pre_tokenizers/whitespace_split.h"

namespace text {
namespace {

/// One pre-tokenizer that does what `members` do in turn; null if there is none.
std::unique_ptr<PreTokenizer> Fuse(const std::vector<std::unique_ptr<PreTokenizer>>& members) {
  if (members.size() != 2) return nullptr;
  const auto* metaspace = dynamic_cast<const Metaspace*>(members[1].get());
  if (dynamic_cast<const WhitespaceSplit*>(members[0].get()) == nullptr || metaspace == nullptr ||
      metaspace->options().prepend != Metaspace::Prepend::kAlways || !metaspace->options().split) {
    return nullptr;
  }
  return std::make_unique<SpacedWords>(*metaspace);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PreTokenizer>> PreTokenizerSequence::FromJson(
    const common::JsonView& json, Reader reader) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "pretokenizers"}));
  ASSIGN_OR_RETURN(const common::JsonView array, json.Member("pretokenizers"));
  std::vector<std::unique_ptr<PreTokenizer>> members;
  RETURN_IF_ERROR(array.ForEachElement([&](const common::JsonView& element) -> absl::Status {
    if (!members.empty() && members.back()->form().kind != PieceForm::Kind::kPlain) {
      return element.Error("a pre-tokenizer behind ByteLevel or Metaspace is not known");
    }
    ASSIGN_OR_RETURN(members.emplace_back(), reader(element));
    return absl::OkStatus();
  }));
  if (auto fused = Fuse(members); fused != nullptr) return fused;
  return std::make_unique<PreTokenizerSequence>(std::move(members));
}

void PreTokenizerSequence::Split(WorkText& text, PreTokenizerScratch& scratch,
                                 std::vector<std::string_view>& words) const {
  for (const auto& member : members_) member->Split(text, scratch, words);
}

// Where the words of the first member end, those of the others do, and none looks beyond its word.
bool PreTokenizerSequence::CanCut(std::string_view text, std::size_t at) const {
  return !members_.empty() && members_.front()->CanCut(text, at);
}

bool PreTokenizerSequence::AsksForFirst() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const auto& member) { return member->AsksForFirst(); });
}

PieceForm PreTokenizerSequence::form() const {
  return members_.empty() ? PieceForm{} : members_.back()->form();
}

}  // namespace text
