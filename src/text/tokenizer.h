#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "text/unicode/utf8.h"  // IsValidUtf8, what Encode asks for.

namespace text {

enum class TruncationSide { kRight, kLeft };

struct EncodeOptions {
  bool add_special_tokens = true;
  /// Most tokens of the result, special tokens included; 0: no limit. Truncation removes text
  /// tokens and keeps the post-processor's. Must be 0 or more than special_tokens().
  int max_length = 0;
  TruncationSide truncation_side = TruncationSide::kRight;
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

/// Bytes → token ids, exactly as Hugging Face `tokenizers` does from the same tokenizer.json (whose
/// truncation and padding blocks are ignored). Immutable after loading; any number of threads may
/// encode at once, each with its own Scratch.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Reads tokenizer.json. Errors name the file and the part that is not known or malformed.
  static absl::StatusOr<std::unique_ptr<Tokenizer>> FromFile(const std::filesystem::path& path);
  static absl::StatusOr<std::unique_ptr<Tokenizer>> FromJson(std::string_view json);

  /// Appends the ids of `utf8` to `ids`. Returns the number of tokens of the text before
  /// truncation, special tokens included: above max_length if something was cut. That number is
  /// exact, except that truncation on the right stops reading where the kept part is decided, so
  /// that a text cut there may have yet more tokens; max_length 0 counts them all. Total: cannot
  /// fail on valid UTF-8, which the caller guarantees.
  virtual std::size_t Encode(std::string_view utf8, const EncodeOptions& options, Scratch& scratch,
                             std::vector<int32_t>& ids) const = 0;

  /// Tokens that the post-processor adds to a single text.
  virtual int special_tokens() const = 0;
  /// Whether the case of a text never matters: sentence-transformers' do_lower_case asks for that.
  virtual bool lower_cases() const { return false; }
  /// Largest id that Encode can give, plus one (added tokens included).
  virtual int vocabulary_size() const = 0;
};

}  // namespace text
