#include "text/pre_tokenizers/pre_tokenizer_types.h"

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

absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadPreTokenizerSequence(
    const common::JsonView& json) {
  return PreTokenizerSequence::FromJson(json, ReadPreTokenizer);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadPreTokenizer(const common::JsonView& json) {
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

}  // namespace text
