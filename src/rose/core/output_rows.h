#pragma once

#include <cstdint>
#include <span>

namespace rose {

/// The rows of an output: float32, one for each sequence of a step or for each of its tokens.
struct OutputShape {
  int64_t columns = 0;  ///< 0: the model does not give this output.
  bool per_token = false;
  int64_t tokens_left_out = 0;  ///< At the start of a sequence: their rows are no part of it.

  int64_t rows(int64_t sequences, int64_t tokens) const { return per_token ? tokens : sequences; }
};

/// One output of a step. Owns nothing.
struct OutputRows {
  std::span<const float> values;  ///< [rows × columns], row-major.
  int64_t rows = 0;
  int64_t columns = 0;  ///< 0: the step was not asked for it.
};

}  // namespace rose
