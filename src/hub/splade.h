#pragma once

#include <filesystem>
#include <string>

#include "common/status.h"

namespace hub {

/// Sparse vectors of a masked language model's head: for each vocabulary id, over the tokens of the
/// text, the largest (or the sum) of log(1 + relu(logit)).
/// Formal et al., SPLADE v2, arXiv:2109.10086.
struct Splade {
  enum class Pooling { kMax, kSum };
  Pooling pooling = Pooling::kMax;
  bool log1p_twice = false;  ///< "log1p_relu": the logarithm of 1 + the above once more.
};

/// A SpladePooling module's file, `path`/config.json below `folder`.
absl::StatusOr<Splade> ReadSplade(const std::filesystem::path& folder, const std::string& path);

}  // namespace hub
