#include "text/pre_tokenizers/byte_window_avx2.h"
#include "text/pre_tokenizers/run_windows.h"

namespace text {

void RunWindowsAvx2::ScanBetweenSpaces(std::string_view text, char* spaced, WordWriter& words) {
  RunWindows<ByteWindowAvx2>::Scan<false>(text, spaced, words);
}

void RunWindowsAvx2::ScanAtSpaces(std::string_view text, WordWriter& words) {
  RunWindows<ByteWindowAvx2>::ScanAtSpaces(text, words);
}

void RunWindowsAvx2::ScanBesidePunctuation(std::string_view text, char* spaced, WordWriter& words) {
  RunWindows<ByteWindowAvx2>::Scan<true>(text, spaced, words);
}

}  // namespace text
