#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/status.h"
#include "hub/model_folder.h"

/// What the headers of a model's weight files say.
struct WeightReport {
  int files = 0;  ///< 0: the folder has none, only random weights can run it.
  int64_t tensors = 0;
  int64_t bytes = 0;
  int64_t parameters = 0;  ///< Elements in F32, F16 and BF16: those that a model computes with.
  std::map<std::string, int64_t> dtypes = {};  ///< As stored → number of tensors.
};

/// What the tokenizer is; the files that it comes from stand in the folder's description.
struct TokenizerReport {
  std::string model_type;  ///< as tokenizer.json names it: "WordPiece"
  int pieces = 0;          ///< the largest id, plus one
  std::size_t memory_bytes = 0;
};

/// Everything that `parterre inspect` says of a model folder, and its two ways to say it.
struct ModelReport {
  hub::ModelFolder folder;
  bool family_is_served = false;
  std::optional<TokenizerReport> tokenizer;  ///< Nothing if it is of a kind not supported.
  WeightReport weights;
  /// Why `serve` would refuse the folder, one sentence each; empty: it would not.
  std::vector<std::string> unsupported;

  /// Errors name the file and what is wrong in it; what is only unsupported is none.
  static absl::StatusOr<ModelReport> Make(const hub::ModelFolder& folder);

  std::string Table() const;  ///< Lines "name  value".
  std::string Json() const;   ///< One object, indented, with a final newline.
};
