#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/models/vocabulary.h"
#include "text/pre_tokenizers/piece_form.h"

namespace text {

/// The characters that words are made of, from which merging starts (bytes, where pieces stand for
/// bytes), how the vocabulary writes them, and what stands for those that it lacks. Immutable.
class BpeCharacters {
 public:
  struct Options {
    std::optional<int32_t> unknown_id = {};  ///< stands for a character that is missing
    bool fuses_unknown = false;              ///< for a run of them
    bool byte_fallback = false;              ///< pieces like <0x0A>, if all are there, come before
  };
  BpeCharacters(const PieceForm& form, const Vocabulary& vocabulary, const Options& options);

  /// Bytes of the character at `at`.
  std::size_t SizeAt(std::string_view word, std::size_t at) const;
  /// A character as the vocabulary writes it. A view into it, or into this.
  std::string_view Written(std::string_view character) const;

  /// Whether `bytes`, a piece's as it stands in words, is one character.
  bool IsCharacter(std::string_view bytes) const {
    return !bytes.empty() && SizeAt(bytes, 0) == bytes.size();
  }
  /// Whether a piece, by its id, stands for what is missing.
  bool IsStandIn(int32_t id) const;
  /// Whether every byte has a piece, so that no character of any word is missing.
  bool HasAllBytes() const { return has_all_bytes_; }

  /// Whether nothing stands for a character without a piece, so that its neighbours may merge.
  bool IsLeftOut(std::string_view written) const {
    return !options_.unknown_id && !FallsBack(written);
  }

  /// An unknown piece that waits, as more may be fused to it; no width: none does.
  struct Unknown {
    std::size_t width = 0;
  };
  /// Calls sink.Add(id, its bytes of the word as the vocabulary writes it) for what stands for a
  /// character without a piece; nothing may. `width` are the character's such bytes; `written` may
  /// have a prefix and a suffix besides.
  template <typename Sink>
  void AddMissing(std::string_view written, std::size_t width, Unknown& unknown, Sink& sink) const {
    // Where only some bytes have pieces, they come before an unknown piece that waits, as the
    // library has it.
    if (FallsBack(written)) {
      for (const char byte : written) sink.Add(byte_ids_[static_cast<unsigned char>(byte)], 1);
    } else if (options_.unknown_id) {
      if (!options_.fuses_unknown) AddUnknown(unknown, sink);
      unknown.width += width;
    }
  }
  /// Adds the unknown piece that waits. Call before any other piece, and at the end of a word.
  template <typename Sink>
  void AddUnknown(Unknown& unknown, Sink& sink) const {
    if (unknown.width == 0) return;
    sink.Add(*options_.unknown_id, unknown.width);
    unknown.width = 0;
  }

 private:
  bool FallsBack(std::string_view written) const;

  PieceForm form_;
  Options options_;
  std::array<int32_t, 256> byte_ids_;       // -1: none.
  std::vector<std::string> written_bytes_;  // 256, if pieces stand for bytes.
  bool has_all_bytes_;
};

}  // namespace text
