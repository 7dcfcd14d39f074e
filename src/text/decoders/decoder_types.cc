#include "text/decoders/decoder_types.h"

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
#include "text/type_table.h"

namespace text {
namespace {

absl::StatusOr<std::unique_ptr<Decoder>> ReadDecoderSequence(const common::JsonView& json) {
  return SequenceDecoder::FromJson(json, ReadDecoder);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> ReadDecoder(const common::JsonView& json) {
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
