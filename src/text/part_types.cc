#include "text/part_types.h"

#include "text/decoders/bpe_decoder.h"
#include "text/decoders/byte_fallback_decoder.h"
#include "text/decoders/byte_level_decoder.h"
#include "text/decoders/ctc_decoder.h"
#include "text/decoders/fuse_decoder.h"
#include "text/decoders/metaspace_decoder.h"
#include "text/decoders/replace_decoder.h"
#include "text/decoders/sequence_decoder.h"
#include "text/decoders/strip_decoder.h"
#include "text/decoders/word_piece_decoder.h"
#include "text/models/bpe.h"
#include "text/models/unigram.h"
#include "text/models/word_piece.h"
#include "text/normalizers/bert_normalizer.h"
#include "text/normalizers/byte_level_normalizer.h"
#include "text/normalizers/lowercase_normalizer.h"
#include "text/normalizers/nmt_normalizer.h"
#include "text/normalizers/precompiled_normalizer.h"
#include "text/normalizers/prepend_normalizer.h"
#include "text/normalizers/replace_normalizer.h"
#include "text/normalizers/sequence_normalizer.h"
#include "text/normalizers/strip_accents_normalizer.h"
#include "text/normalizers/strip_normalizer.h"
#include "text/normalizers/unicode_normalizer.h"
#include "text/pre_tokenizers/bert_pre_tokenizer.h"
#include "text/pre_tokenizers/byte_level.h"
#include "text/pre_tokenizers/category_splits.h"
#include "text/pre_tokenizers/metaspace.h"
#include "text/pre_tokenizers/pre_tokenizer_sequence.h"
#include "text/pre_tokenizers/split.h"
#include "text/pre_tokenizers/whitespace.h"
#include "text/pre_tokenizers/whitespace_split.h"
#include "text/type_table.h"

namespace text {
namespace {

using common::JsonView;

absl::StatusOr<std::unique_ptr<Normalizer>> ReadNormalizerSequence(const JsonView& json) {
  return SequenceNormalizer::FromJson(json, ReadNormalizer);
}

absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadPreTokenizerSequence(const JsonView& json) {
  return PreTokenizerSequence::FromJson(json, ReadPreTokenizer);
}

absl::StatusOr<std::unique_ptr<Decoder>> ReadDecoderSequence(const JsonView& json) {
  return SequenceDecoder::FromJson(json, ReadDecoder);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Normalizer>> ReadNormalizer(const JsonView& json) {
  using Kind = NormalForm::Kind;
  constexpr Type<std::unique_ptr<Normalizer>> kTypes[] = {
      {"BertNormalizer", BertNormalizer::FromJson},
      {"ByteLevel", ByteLevelNormalizer::FromJson},
      {"Lowercase", LowercaseNormalizer::FromJson},
      {"NFC", UnicodeNormalizer::FromJson<Kind::kNfc>},
      {"NFD", UnicodeNormalizer::FromJson<Kind::kNfd>},
      {"NFKC", UnicodeNormalizer::FromJson<Kind::kNfkc>},
      {"NFKD", UnicodeNormalizer::FromJson<Kind::kNfkd>},
      {"Nmt", NmtNormalizer::FromJson},
      {"Precompiled", PrecompiledNormalizer::FromJson},
      {"Prepend", PrependNormalizer::FromJson},
      {"Replace", ReplaceNormalizer::FromJson},
      {"Sequence", ReadNormalizerSequence},
      {"Strip", StripNormalizer::FromJson},
      {"StripAccents", StripAccentsNormalizer::FromJson},
  };
  return ReadType<std::unique_ptr<Normalizer>>(json, kTypes);
}

absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadPreTokenizer(const JsonView& json) {
  constexpr Type<std::unique_ptr<PreTokenizer>> kTypes[] = {
      {"BertPreTokenizer", BertPreTokenizer::FromJson},
      {"ByteLevel", ByteLevel::FromJson},
      {"CharDelimiterSplit", ReadCharDelimiterSplit},
      {"Digits", ReadDigits},
      {"Metaspace", Metaspace::FromJson},
      {"Punctuation", ReadPunctuation},
      {"Sequence", ReadPreTokenizerSequence},
      {"Split", ReadSplit},
      {"Whitespace", Whitespace::FromJson},
      {"WhitespaceSplit", WhitespaceSplit::FromJson},
  };
  return ReadType<std::unique_ptr<PreTokenizer>>(json, kTypes);
}

namespace {

// No published tokenizer has a WordPiece there; its pieces would have to be brought into that form.
absl::StatusOr<std::unique_ptr<Model>> ReadWordPiece(const JsonView& json, const PieceForm& form) {
  if (form.kind != PieceForm::Kind::kPlain) {
    return json.Error("WordPiece behind ByteLevel or Metaspace is not known");
  }
  return WordPiece::FromJson(json);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Model>> ReadModel(const JsonView& json, const PieceForm& form) {
  // Files of before 2020 do not name the type; these keys are one type's alone.
  const bool is_named = json.Has("type");
  if (!is_named && json.Has("max_input_chars_per_word")) return ReadWordPiece(json, form);
  if (!is_named && json.Has("merges")) return Bpe::FromJson(json, form);
  ASSIGN_OR_RETURN(const JsonView type, json.Member("type"));
  ASSIGN_OR_RETURN(const std::string_view name, type.AsString());
  if (name == "BPE") return Bpe::FromJson(json, form);
  if (name == "Unigram") return Unigram::FromJson(json, form);
  if (name == "WordPiece") return ReadWordPiece(json, form);
  return type.Error(fmt::format("\"{}\" is not known; known: BPE, Unigram, WordPiece", name));
}

absl::StatusOr<std::unique_ptr<Decoder>> ReadDecoder(const JsonView& json) {
  constexpr Type<std::unique_ptr<Decoder>> kTypes[] = {
      {"BPEDecoder", BpeDecoder::FromJson},      {"ByteFallback", ByteFallbackDecoder::FromJson},
      {"ByteLevel", ByteLevelDecoder::FromJson}, {"CTC", CtcDecoder::FromJson},
      {"Fuse", FuseDecoder::FromJson},           {"Metaspace", MetaspaceDecoder::FromJson},
      {"Replace", ReplaceDecoder::FromJson},     {"Sequence", ReadDecoderSequence},
      {"Strip", StripDecoder::FromJson},         {"WordPiece", WordPieceDecoder::FromJson},
  };
  return ReadType<std::unique_ptr<Decoder>>(json, kTypes);
}

}  // namespace text
