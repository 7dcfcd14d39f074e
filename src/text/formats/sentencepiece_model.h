#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace text {

/// What a SentencePiece model file holds of use here: a protocol buffer, the message ModelProto of
/// sentencepiece_model.proto.
struct SentencePieceModel {
  enum class Kind { kUnigram = 1, kBpe = 2, kWord = 3, kChar = 4 };
  enum class PieceKind {
    kNormal = 1,
    kUnknown = 2,
    kControl = 3,
    kUserDefined = 4,
    kUnused = 5,
    kByte = 6,
  };
  struct Piece {
    std::string text;
    float score = 0;
    PieceKind kind = PieceKind::kNormal;
  };

  std::vector<Piece> pieces;
  Kind kind = Kind::kUnigram;
  int32_t unknown_id = 0;
  std::string charsmap;  ///< a blob; empty: the text stays as it is

  /// `name` stands in front of errors, which are InvalidArgument and name the place.
  static absl::StatusOr<SentencePieceModel> Parse(std::string_view bytes, std::string_view name);
};

}  // namespace text
