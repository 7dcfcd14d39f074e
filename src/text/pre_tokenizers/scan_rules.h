#pragma once

namespace text {

/// What sets the split patterns apart that scanners know. They split into contractions, runs of
/// letters, numbers, runs of other characters, and whitespace.
struct ScanRules {
  /// GPT-2's: contractions in lower case alone; a space may begin a run of letters, of numbers or
  /// of others. Else cl100k's and its heirs': contractions in any case; any character but a line
  /// break or number may begin a run of letters, a space one of others, which line breaks may end;
  /// whitespace ends at its last line break.
  bool is_gpt2 = false;
  bool marks_are_letters = false;
  int digits_max = 1;  ///< of one word; GPT-2 has no limit
};

}  // namespace text
