#include "text/pre_tokenizers/byte_window_avx2.h"
#include "text/pre_tokenizers/pattern_windows.h"

namespace text {

void PatternWindowsAvx2::Split(const WordScanner& scanner, std::string_view word,
                               WordWriter& words) {
  PatternWindows<ByteWindowAvx2>::Split(scanner, word, words);
}

}  // namespace text
