#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "common/json_view.h"
#include "text/patterns/regex_scratch.h"

namespace text {

/// What a Replace looks for. Immutable.
class ReplacePattern {
 public:
  virtual ~ReplacePattern() = default;

  /// Reads {"String": …} or {"Regex": …}.
  static absl::StatusOr<std::unique_ptr<ReplacePattern>> FromJson(const common::JsonView& json);

  using Visit = absl::FunctionRef<void(std::size_t begin, std::size_t end)>;
  /// Calls `visit` for each match in `text`, from the left, none overlapping; some may be empty.
  virtual void ForEachMatch(std::string_view text, RegexScratch& scratch, Visit visit) const = 0;

  /// Whether no match can reach across `at` (the first byte of a character, neither end), judged by
  /// the two characters beside it alone. May be false where it is not sure.
  virtual bool CanCut(std::string_view text, std::size_t at) const = 0;

  /// The byte that is all it looks for, if so; else nothing.
  virtual std::optional<char> SingleByte() const { return std::nullopt; }
};

}  // namespace text
