#include "text/normalizers/unicode_normalizer.h"

#include "text/unicode/utf8.h"

namespace text {
namespace {

/// Walks over a text as long as it is in normal form.
class QuickCheck {
 public:
  QuickCheck(const NormalForm& form, std::string_view text) : form_(form), text_(text) {}

  /// Goes on from `at`, a boundary, to the first character that does not stay as and where it is;
  /// false at the end of the text.
  bool FindChange(std::size_t at) {
    SetStarter(at, 0);
    while (at < text_.size()) {
      const std::size_t here = at;
      if (IsAscii(text_[at])) {
        at = AsciiEnd(text_, at);
        SetStarter(at - 1, static_cast<unsigned char>(text_[at - 1]));
        continue;
      }
      const char32_t c = DecodeUtf8(text_, at);
      const uint8_t roles = form_.roles(c);
      if ((roles & kSpecial) == 0) {
        SetStarter(here, c);
        continue;
      }
      const uint8_t combining_class = form_.combining_class(c);
      if (!Stays(c, roles, combining_class)) {
        change_end_ = at;
        return true;
      }
      if (combining_class == 0) {
        SetStarter(here, c);
      } else {
        last_class_ = combining_class;
      }
    }
    return false;
  }

  /// The stretch around that character, from the last starter to the next boundary.
  std::size_t stretch_begin() const { return starter_at_; }
  std::size_t StretchEnd() const {
    std::size_t end = change_end_;
    for (std::size_t next = end; next < text_.size(); end = next) {
      if ((form_.roles(DecodeUtf8(text_, next)) & NormalForm::kJoins) == 0) break;
    }
    return end;
  }

 private:
  static constexpr uint8_t kSpecial =
      NormalForm::kChanged | NormalForm::kMark | NormalForm::kSecond;

  // Nothing between the starter and `c` was changed, so that what the composing would do is known.
  bool Stays(char32_t c, uint8_t roles, uint8_t combining_class) const {
    if ((roles & NormalForm::kChanged) != 0) return false;
    if (combining_class != 0 && combining_class < last_class_) return false;
    if ((roles & NormalForm::kSecond) == 0) return true;
    const bool blocked = last_class_ != 0 && combining_class <= last_class_;
    if (blocked) return true;
    // Its mark might be taken off the starter and `c` come before it.
    if (combining_class != 0 && (form_.roles(starter_) & NormalForm::kDecomposes) != 0) {
      return false;
    }
    return form_.Compose(starter_, c) == 0;
  }

  void SetStarter(std::size_t at, char32_t c) {
    starter_at_ = at;
    starter_ = c;
    last_class_ = 0;
  }

  const NormalForm& form_;
  std::string_view text_;
  std::size_t starter_at_ = 0;
  char32_t starter_ = 0;    // 0, which is joined to nothing: there is none.
  uint8_t last_class_ = 0;  // Of the last character that was read.
  std::size_t change_end_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Normalizer>> UnicodeNormalizer::FromJson(
    const common::JsonView& json, NormalForm::Kind kind) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<UnicodeNormalizer>(kind);
}

void UnicodeNormalizer::Normalize(std::string_view text, NormalizerScratch& scratch,
                                  std::string& out) const {
  QuickCheck check(form_, text);
  std::size_t copied = 0;
  while (check.FindChange(copied)) {
    const std::size_t begin = check.stretch_begin(), end = check.StretchEnd();
    out.append(text, copied, begin - copied);
    scratch.changes.clear();
    form_.Append(text.substr(begin, end - begin), scratch.marks, scratch.changes);
    for (const auto& change : scratch.changes) AppendUtf8(change.character, out);
    copied = end;
  }
  out.append(text, copied);
}

void UnicodeNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const {
  scratch.changes.clear();
  form_.Append(text.bytes(), scratch.marks, scratch.changes);
  text.Transform(0, text.bytes().size(), scratch.changes);
}

bool UnicodeNormalizer::CanCut(std::string_view text, std::size_t at) const {
  return (form_.roles(DecodeUtf8(text, at)) & NormalForm::kJoins) == 0;
}

}  // namespace text
