#include "text/normalizers/normal_form.h"

#include "text/unicode/utf8.h"

namespace text {

const NormalForm& NormalForm::Get(Kind kind) {
  // Each is made when it is first asked for.
  switch (kind) {
    case kNfd: {
      static const NormalForm& form = *new NormalForm(kNfd);
      return form;
    }
    case kNfc: {
      static const NormalForm& form = *new NormalForm(kNfc);
      return form;
    }
    case kNfkd: {
      static const NormalForm& form = *new NormalForm(kNfkd);
      return form;
    }
    case kNfkc:
      break;
  }
  static const NormalForm& form = *new NormalForm(kNfkc);
  return form;
}

NormalForm::NormalForm(Kind kind)
    : compatibility_(kind == kNfkd || kind == kNfkc),
      composed_(kind == kNfc || kind == kNfkc),
      characters_(Characters::Get()),
      compositions_(Compositions::Get()),
      compatibilities_(Compatibility::Get()) {
  std::vector<AlignedText::Change> changes;
  CanonicalOrder marks;
  const auto joins = [&](char32_t c) {
    return combining_class(c) != 0 || (composed_ && compositions_.IsSecond(c));
  };
  for (char32_t c = 0; c < 0x110000; ++c) {
    char32_t first = c;
    int parts = 0;
    ForEachPart(c, [&](char32_t part) {
      if (parts++ == 0) first = part;
    });
    uint8_t roles = 0;
    if (first != c || parts > 1) {
      std::string bytes;
      AppendUtf8(c, bytes);
      changes.clear();
      Append(bytes, marks, changes);
      if (changes.size() != 1 || changes[0].character != c) roles |= kChanged;
    }
    if (combining_class(c) != 0) roles |= kMark;
    if (composed_ && compositions_.IsSecond(c)) roles |= kSecond;
    if (joins(first)) roles |= kJoins;
    if ((characters_.traits(c) & kDecomposesTrait) != 0) roles |= kDecomposes;
    if (roles != 0) roles_.At(c) = roles;
  }
}

template <typename Visit>
void NormalForm::ForEachPart(char32_t c, Visit visit) const {
  if (compatibility_) {
    if (const auto parts = compatibilities_.Decompose(c); !parts.empty()) {
      for (const char32_t part : parts) visit(part);
      return;
    }
  }
  for (const char32_t part : characters_.Decompose(c)) visit(part);
}

void NormalForm::Append(std::string_view text, CanonicalOrder& marks,
                        std::vector<AlignedText::Change>& changes) const {
  const std::size_t begin = changes.size();
  AppendDecomposed(text, marks, changes);
  if (composed_) ComposeFrom(begin, changes);
}

// The first part of a character replaces it, the others are inserted. Marks keep that when they
// are put in order.
void NormalForm::AppendDecomposed(std::string_view text, CanonicalOrder& marks,
                                  std::vector<AlignedText::Change>& changes) const {
  const auto flush = [&] {
    if (marks.empty()) return;
    for (const auto& mark : marks.Sorted()) changes.push_back({mark.code_point, mark.inserted});
    marks.Clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    bool inserted = false;
    ForEachPart(DecodeUtf8(text, at), [&](char32_t part) {
      const uint8_t combining_class = characters_.combining_class(part);
      if (combining_class == 0) {
        flush();
        changes.push_back({part, inserted});
      } else {
        marks.Push({part, combining_class, inserted});
      }
      inserted = true;
    });
  }
  flush();
}

// The algorithm of the Unicode Standard, section 3.11 (D117), in place: each character is joined to
// the last starter unless one of as high a class stands between.
void NormalForm::ComposeFrom(std::size_t begin, std::vector<AlignedText::Change>& changes) const {
  std::size_t to = begin, starter = changes.size();
  int between = -1;  // Class of the last character between the starter and here; -1: none.
  for (std::size_t from = begin; from < changes.size(); ++from) {
    const AlignedText::Change next = changes[from];
    const int combining_class = characters_.combining_class(next.character);
    if (starter < to && between < combining_class) {
      AlignedText::Change& first = changes[starter];
      if (const char32_t composite = Compose(first.character, next.character)) {
        // One that replaces an old character takes it along; one that is inserted has none.
        first = {composite, first.change + next.change - 1};
        continue;
      }
    }
    if (combining_class == 0) {
      starter = to;
      between = -1;
    } else {
      between = combining_class;
    }
    changes[to++] = next;
  }
  changes.resize(to);
}

}  // namespace text
