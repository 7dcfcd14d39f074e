#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "text/truncation.h"
#include "text/unicode/utf8.h"  // IsValidUtf8, what Encode asks for.

namespace text {

struct EncodeOptions {
  bool add_special_tokens = true;
  /// Most tokens of the result, special tokens included; 0: no limit. Truncation removes text
  /// tokens and keeps the post-processor's. Must be 0 or more than special_tokens().
  int max_length = 0;
  TruncationSide truncation_side = TruncationSide::kRight;
  /// What a pair gives up; a single text has no choice.
  TruncationStrategy truncation_strategy = TruncationStrategy::kLongestFirst;
  /// Whether "[SEP]" written in the text is the special token, as Hugging Face takes it by default;
  /// else it is plain text.
  bool match_special_tokens = true;
};

/// The buffers of one Encode call, owned by the caller and reused: they grow to the largest text
/// seen and are never shrunk, so that the steady state allocates nothing. One thread at a time.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(Scratch&&) noexcept;
  Scratch& operator=(Scratch&&) noexcept;

  struct Buffers;
  Buffers& buffers() { return *buffers_; }

 private:
  std::unique_ptr<Buffers> buffers_;
};

/// Tokens with what they stand for. All lists have one element for each token.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;
  /// Code points [begin, end) of the token's text; of a special token {0, 0}.
  struct Offset {
    uint32_t begin = 0, end = 0;

    bool operator==(const Offset&) const = default;
  };
  std::vector<Offset> offsets;
  std::vector<bool> special;  ///< added by the post-processor
};

/// Words since the tokenizer was loaded: how much work its memory of words has saved.
struct WordCounts {
  uint64_t words = 0;
  uint64_t remembered = 0;  ///< no single piece, but found among the words seen before
  uint64_t split = 0;       ///< split by the model
};

/// Bytes → token ids, exactly as Hugging Face `tokenizers` does from the same tokenizer.json (whose
/// truncation and padding blocks are ignored). Immutable but for its memory of words; any number of
/// threads may encode at once, each with its own Scratch. Every text is well-formed UTF-8, which
/// the caller guarantees.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Reads tokenizer.json. Errors name the file and the part that is not known or malformed.
  static absl::StatusOr<std::unique_ptr<Tokenizer>> FromFile(const std::filesystem::path& path);
  static absl::StatusOr<std::unique_ptr<Tokenizer>> FromJson(std::string_view json);
  /// Reads the tokenizer of a model folder: its tokenizer.json or, without one, the files of a
  /// class that is known (formats/tokenizer_folder.h). NotFound, with what was found and how to
  /// convert it, if there is neither.
  static absl::StatusOr<std::unique_ptr<Tokenizer>> FromFolder(const std::filesystem::path& folder);
  static absl::StatusOr<std::unique_ptr<Tokenizer>> FromFileOrFolder(
      const std::filesystem::path& path);

  /// Appends the ids of `utf8` to `ids`. Returns the number of tokens of the text before
  /// truncation, special tokens included: above max_length if something was cut. That number is
  /// exact, except that truncation on the right stops reading where the kept part is decided, so
  /// that a text cut there may have yet more tokens; max_length 0 counts them all. Cannot fail.
  virtual std::size_t Encode(std::string_view utf8, const EncodeOptions& options, Scratch& scratch,
                             std::vector<int32_t>& ids) const = 0;

  /// Appends the ids of the pair, and to `type_ids`, which is as long, to which of the two (or what
  /// else the post-processor says) each belongs. Returns the tokens before truncation, as Encode
  /// does. InvalidArgument where the strategy cannot shorten the pair to max_length, or max_length
  /// leaves no room beside the special tokens; nothing is appended then.
  virtual absl::StatusOr<std::size_t> EncodePair(std::string_view first, std::string_view second,
                                                 const EncodeOptions& options, Scratch& scratch,
                                                 std::vector<int32_t>& ids,
                                                 std::vector<int32_t>& type_ids) const = 0;

  /// The same tokens with offsets, for one text or a pair. Several times slower than Encode.
  virtual absl::StatusOr<Encoding> EncodeInDetail(std::string_view first,
                                                  std::optional<std::string_view> second,
                                                  const EncodeOptions& options,
                                                  Scratch& scratch) const = 0;

  /// The text of `ids`; ids that name no piece are left out, special tokens too if asked for.
  virtual std::string Decode(std::span<const int32_t> ids, bool skip_special_tokens) const = 0;
  /// A piece as the vocabulary writes it; empty if no piece has that id.
  virtual std::string_view PieceOf(int32_t id) const = 0;

  /// Tokens that the post-processor adds to a single text, or to a pair.
  virtual int special_tokens() const = 0;
  virtual int special_tokens_of_pair() const = 0;
  /// Whether the case of a text never matters: sentence-transformers' do_lower_case asks for that.
  virtual bool lower_cases() const { return false; }
  /// Largest id that Encode can give, plus one (added tokens included).
  virtual int vocabulary_size() const = 0;

  /// Type of the model, as tokenizer.json names it: "Unigram".
  virtual std::string_view model_type() const { return {}; }
  virtual WordCounts word_counts() const { return {}; }
  /// What the tokenizer holds on the heap.
  virtual std::size_t memory_bytes() const { return 0; }
};

}  // namespace text
