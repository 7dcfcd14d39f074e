#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "hub/config.h"

namespace hub {

/// Modes of sentence-transformers' Pooling module, in the order in which several are concatenated.
enum class PoolingMode { kCls, kMax, kMean, kMeanSqrtLen, kWeightedMean, kLastToken };

/// Name as flags and /info use it: "cls", "max", "mean", "mean_sqrt_len", "weighted_mean",
/// "last_token". ParsePoolingMode also takes TEI's "last-token".
const char* PoolingModeName(PoolingMode mode);
absl::StatusOr<PoolingMode> ParsePoolingMode(std::string_view name);

struct Pooling {
  std::vector<PoolingMode> modes;  ///< Empty where a model has no pooled vector.
  bool include_prompt = true;      ///< False: the prompt's tokens are left out.
};

/// The names of its modes, in their order.
std::vector<std::string_view> PoolingNames(const Pooling& pooling);

/// Reads a Pooling module's config.json in both layouts of sentence-transformers: the flags
/// `pooling_mode_…` of the older ones, and `pooling_mode` (one name or a list) since version 6.
/// InvalidArgument names the file if no mode is on, a mode is unknown, or the dimension it gives is
/// not the model's `hidden_size` (where known).
absl::StatusOr<Pooling> ReadPooling(const Config& config, std::optional<int64_t> hidden_size);

/// Where nothing says how to pool: the last token for causal language models, since no other token
/// sees the whole text; the mean for encoders, as in sentence-transformers.
PoolingMode DefaultPoolingMode(std::string_view model_type);

}  // namespace hub
