#include "text/formats/sentencepiece_model.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <optional>

#include "text/unicode/utf8.h"

namespace text {
namespace {

// Numbers of fields in sentencepiece_model.proto.
constexpr uint64_t kPieces = 1, kTrainerSpec = 2, kNormalizerSpec = 3;
constexpr uint64_t kPieceText = 1, kPieceScore = 2, kPieceKind = 3;
constexpr uint64_t kModelKind = 3, kUnknownId = 40;
constexpr uint64_t kCharsmap = 2;

constexpr std::size_t kVarintBytesMax = 10;

/// A field of a message: a number, four bytes or a string, by its wire type.
struct Field {
  enum class Wire { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  uint64_t number = 0;
  Wire wire = Wire::kVarint;
  uint64_t value = 0;
  std::string_view bytes = {};
};

/// Reads the fields of one message in turn, never beyond its end.
class FieldReader {
 public:
  explicit FieldReader(std::string_view message) : rest_(message) {}

  bool AtEnd() const { return rest_.empty(); }

  /// Nothing: the message is malformed.
  std::optional<Field> Next() {
    const auto key = Varint();
    if (!key) return std::nullopt;
    Field field{.number = *key >> 3, .wire = static_cast<Field::Wire>(*key & 7)};
    switch (field.wire) {
      case Field::Wire::kVarint: {
        const auto value = Varint();
        if (!value) return std::nullopt;
        field.value = *value;
        return field;
      }
      case Field::Wire::kFixed64:
      case Field::Wire::kFixed32: {
        const std::size_t size = field.wire == Field::Wire::kFixed64 ? 8 : 4;
        if (rest_.size() < size) return std::nullopt;
        for (std::size_t i = size; i-- > 0;) field.value = field.value << 8 | Byte(i);
        rest_.remove_prefix(size);
        return field;
      }
      case Field::Wire::kBytes: {
        const auto size = Varint();
        if (!size || *size > rest_.size()) return std::nullopt;
        field.bytes = rest_.substr(0, *size);
        rest_.remove_prefix(*size);
        return field;
      }
    }
    return std::nullopt;
  }

 private:
  uint64_t Byte(std::size_t i) const { return static_cast<unsigned char>(rest_[i]); }

  std::optional<uint64_t> Varint() {
    uint64_t value = 0;
    for (std::size_t i = 0; i < kVarintBytesMax && i < rest_.size(); ++i) {
      value |= (Byte(i) & 0x7F) << (7 * i);
      if (Byte(i) < 0x80) {
        rest_.remove_prefix(i + 1);
        return value;
      }
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

/// Calls visit(field) for each field; false: malformed, or visit gave false.
template <typename Visit>
bool ForEachField(std::string_view message, Visit visit) {
  for (FieldReader reader(message); !reader.AtEnd();) {
    const auto field = reader.Next();
    if (!field || !visit(*field)) return false;
  }
  return true;
}

bool ParsePiece(std::string_view message, SentencePieceModel::Piece& piece) {
  return ForEachField(
             message,
             [&](const Field& field) {
               if (field.number == kPieceText && field.wire == Field::Wire::kBytes) {
                 piece.text = field.bytes;
               } else if (field.number == kPieceScore && field.wire == Field::Wire::kFixed32) {
                 piece.score = std::bit_cast<float>(static_cast<uint32_t>(field.value));
               } else if (field.number == kPieceKind && field.wire == Field::Wire::kVarint) {
                 if (field.value < 1 || field.value > 6) return false;
                 piece.kind = static_cast<SentencePieceModel::PieceKind>(field.value);
               }
               return true;
             }) &&
         !piece.text.empty() && IsValidUtf8(piece.text) && std::isfinite(piece.score);
}

bool ParseTrainerSpec(std::string_view message, SentencePieceModel& model) {
  return ForEachField(message, [&](const Field& field) {
    if (field.wire != Field::Wire::kVarint) return true;
    if (field.number == kModelKind) {
      if (field.value < 1 || field.value > 4) return false;
      model.kind = static_cast<SentencePieceModel::Kind>(field.value);
    } else if (field.number == kUnknownId) {
      model.unknown_id = static_cast<int32_t>(field.value);
    }
    return true;
  });
}

bool ParseNormalizerSpec(std::string_view message, SentencePieceModel& model) {
  return ForEachField(message, [&](const Field& field) {
    if (field.number == kCharsmap && field.wire == Field::Wire::kBytes) {
      model.charsmap = field.bytes;
    }
    return true;
  });
}

}  // namespace

absl::StatusOr<SentencePieceModel> SentencePieceModel::Parse(std::string_view bytes,
                                                             std::string_view name) {
  SentencePieceModel model;
  const bool parsed = ForEachField(bytes, [&](const Field& field) {
    if (field.wire != Field::Wire::kBytes) return true;
    if (field.number == kPieces) return ParsePiece(field.bytes, model.pieces.emplace_back());
    if (field.number == kTrainerSpec) return ParseTrainerSpec(field.bytes, model);
    if (field.number == kNormalizerSpec) return ParseNormalizerSpec(field.bytes, model);
    return true;
  });
  if (!parsed || model.pieces.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected a SentencePiece model; malformed behind {} pieces", name,
                    model.pieces.size()));
  }
  return model;
}

}  // namespace text
