#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/status.h"

namespace hub {

/// What modules.json says runs after the tokenizer, in one of the orders that are supported:
/// - Transformer, Pooling, Dense …, Normalize, FlexibleQuantizer: a vector of the text; all but the
///   Transformer optional;
/// - Transformer, Dense …, Normalize: without Pooling the Dense modules see each token (late
///   interaction, as PyLate writes it);
/// - MLMTransformer (or Transformer), SpladePooling: a sparse vector;
/// - Transformer, LogitScore: a reranker that reads a language model's logits.
struct Modules {
  std::string transformer_path;             ///< Below the folder; "" is the folder itself.
  std::optional<std::string> pooling_path;  ///< Below the folder, e.g. "1_Pooling".
  std::vector<std::string> dense_paths;
  bool normalize = false;
  bool quantizer = false;  ///< FlexibleQuantizer, pplx-embed's.
  std::optional<std::string> splade_path;
  std::optional<std::string> logit_score_path;
  /// What would be refused, where that was to be kept: one sentence for each module.
  std::vector<std::string> unsupported;
};

/// Nothing if there is no modules.json: a plain transformers model. A module is known by the last
/// component of its type, since releases of sentence-transformers have moved the classes; one that
/// is not known is refused by name, never skipped; so is one at another place than the orders
/// above. With `keep_unsupported` such modules are named in `unsupported` instead.
absl::StatusOr<std::optional<Modules>> ReadModules(const std::filesystem::path& folder,
                                                   bool keep_unsupported = false);

}  // namespace hub
