#include "text/normalizers/normalizer_types.h"

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
#include "text/type_table.h"

namespace text {
namespace {

absl::StatusOr<std::unique_ptr<Normalizer>> ReadNormalizerSequence(const common::JsonView& json) {
  return SequenceNormalizer::FromJson(json, ReadNormalizer);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Normalizer>> ReadNormalizer(const common::JsonView& json) {
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

}  // namespace text
