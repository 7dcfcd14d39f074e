#pragma once

#include "bench/tokenizer_suite.h"

/// What the flags of `parterre bench tokenizer` say.
struct TokenizerBenchOptions {
  bench::TokenizerSuite suite;
  int threads = 1;  ///< 1: only one text after the other; 0: one thread for each core
};

/// `parterre bench tokenizer`: prints what tokenizing a text costs as one line of JSON, with
/// threads what they gain too. Returns the process's exit status: 0; 2 if a file cannot be read or
/// is not what it should be.
int RunTokenizerBench(const TokenizerBenchOptions& options);
