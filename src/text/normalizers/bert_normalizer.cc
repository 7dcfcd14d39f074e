#include "text/normalizers/bert_normalizer.h"

#include "text/normalizers/normal_form.h"
#include "text/unicode/hangul.h"
#include "text/unicode/utf8.h"

namespace text {

BertNormalizer::BertNormalizer(const Options& options)
    : options_(options),
      characters_(Characters::Get()),
      forms_(options.clean_text, options.lowercase) {
  if (options.clean_text) changed_ |= kRemovedByCleaningTrait | kWhitespaceTrait;
  if (options.handle_chinese_chars) changed_ |= kIdeographTrait;
  if (options.strip_accents) changed_ |= kAccentTrait | kDecomposesTrait | kReorderedTrait;
  if (options.lowercase) changed_ |= kUpperTrait;
  SetForms();
}

void BertNormalizer::SetForms() {
  NormalizerScratch scratch;
  std::string form;
  for (char32_t c = 0x80; c < 0x110000; ++c) {
    const uint8_t traits = characters_.traits(c) & changed_;
    if (traits == 0) continue;
    if (traits == kIdeographTrait) {
      forms_.SetSpaced(c);
      continue;
    }
    if (traits == kDecomposesTrait && IsSyllable(c)) {
      forms_.SetSyllable(c);
      continue;
    }
    form.clear();
    Append(c, scratch, form);
    if (scratch.marks.empty()) {
      forms_.Set(c, form);
    } else {
      forms_.SetUnknown(c);
      scratch.marks.Clear();
    }
  }
  forms_.Finish();
}

absl::StatusOr<std::unique_ptr<Normalizer>> BertNormalizer::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys(
      {"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"}));
  Options options;
  ASSIGN_OR_RETURN(options.clean_text, json.Bool("clean_text"));
  ASSIGN_OR_RETURN(options.handle_chinese_chars, json.Bool("handle_chinese_chars"));
  ASSIGN_OR_RETURN(options.lowercase, json.Bool("lowercase"));
  options.strip_accents = options.lowercase;
  if (json.Has("strip_accents")) {
    ASSIGN_OR_RETURN(options.strip_accents, json.Bool("strip_accents"));
  }
  return std::make_unique<BertNormalizer>(options);
}

void BertNormalizer::Normalize(std::string_view text, NormalizerScratch& scratch,
                               std::string& out) const {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (scratch.marks.empty()) at = forms_.Append(text, at, out);
    if (at == begin) Append(DecodeUtf8(text, at), scratch, out);
  }
  FlushMarks(scratch, out);
}

void BertNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const {
  const auto has = [&](char32_t c, Trait trait) { return (characters_.traits(c) & trait) != 0; };
  if (options_.clean_text) {
    text.Filter([&](char32_t c) { return !has(c, kRemovedByCleaningTrait); });
    text.Expand([&](char32_t c, std::string& out) {
      AppendUtf8(has(c, kWhitespaceTrait) ? U' ' : c, out);
    });
  }
  if (options_.handle_chinese_chars) {
    text.Expand([&](char32_t c, std::string& out) {
      const bool spaced = has(c, kIdeographTrait);
      if (spaced) out.push_back(' ');
      AppendUtf8(c, out);
      if (spaced) out.push_back(' ');
    });
  }
  if (options_.strip_accents) {
    scratch.changes.clear();
    NormalForm::Get(NormalForm::kNfd).Append(text.bytes(), scratch.marks, scratch.changes);
    text.Transform(0, text.bytes().size(), scratch.changes);
    text.Filter([&](char32_t c) { return !has(c, kAccentTrait); });
  }
  if (options_.lowercase) {
    text.Expand([&](char32_t c, std::string& out) { characters_.AppendLower(c, out); });
  }
}

bool BertNormalizer::CanCut(std::string_view text, std::size_t at) const {
  if (!options_.strip_accents) return true;
  const char32_t c = DecodeUtf8(text, at);
  if ((characters_.traits(c) & changed_ & kRemovedByCleaningTrait) != 0) return false;
  return characters_.combining_class(*characters_.Decompose(c).begin()) == 0;
}

void BertNormalizer::Append(char32_t c, NormalizerScratch& scratch, std::string& out) const {
  const uint8_t traits = characters_.traits(c) & changed_;
  if ((traits & kRemovedByCleaningTrait) != 0) return;
  if ((traits & kWhitespaceTrait) != 0) c = U' ';
  const bool spaced = (traits & kIdeographTrait) != 0;
  if (spaced) {
    FlushMarks(scratch, out);
    out.push_back(' ');
  }
  if (options_.strip_accents) {
    AppendStripped(c, scratch, out);
  } else {
    AppendCased(c, out);
  }
  if (spaced) out.push_back(' ');
}

// Decomposes and drops accents. An accent that is dropped need not wait for its place in the
// canonical order, but one of class 0 still ends the run that is put in order.
void BertNormalizer::AppendStripped(char32_t c, NormalizerScratch& scratch,
                                    std::string& out) const {
  for (const char32_t part : characters_.Decompose(c)) {
    const uint8_t traits = characters_.traits(part);
    const bool accent = (traits & kAccentTrait) != 0;
    if ((traits & kReorderedTrait) != 0) {
      if (!accent) scratch.marks.Push({part, characters_.combining_class(part)});
      continue;
    }
    FlushMarks(scratch, out);
    if (!accent) AppendCased(part, out);
  }
}

void BertNormalizer::AppendCased(char32_t c, std::string& out) const {
  if (options_.lowercase) {
    characters_.AppendLower(c, out);
  } else {
    AppendUtf8(c, out);
  }
}

void BertNormalizer::FlushMarks(NormalizerScratch& scratch, std::string& out) const {
  if (scratch.marks.empty()) return;
  for (const auto& mark : scratch.marks.Sorted()) AppendCased(mark.code_point, out);
  scratch.marks.Clear();
}

}  // namespace text
