#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
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
  std::vector<PoolingMode> modes;  ///< At least one.
  bool include_prompt = true;      ///< False: the prompt's tokens are left out.
};

/// What a model folder says, as plain data: the one reading of it that Ivy (tokenizer, prompts,
/// limits) and ROSE (shapes, weights, pooling) share. Immutable after Open.
struct ModelFolder {
  std::filesystem::path path;
  std::string name;        ///< Last component of the path.
  std::string model_type;  ///< config.json's, e.g. "bert".
  std::vector<std::string> architectures;
  Config config;  ///< config.json
  Pooling pooling;
  bool pooling_is_default = false;  ///< No file and no flag said it; worth a warning.
  bool normalize = false;           ///< A Normalize module ends the pipeline.
  /// Most tokens of one input, special tokens included (models.md 1.4).
  int max_length = 0;
  std::string max_length_source;  ///< File and key, or flag, that max_length comes from.
  bool lower_case = false;  ///< Texts are lower-cased, code point by code point, before all else.
  std::map<std::string, std::string> prompts;
  std::optional<std::string> default_prompt_name;
  std::filesystem::path tokenizer_folder;
  /// What the tokenizer is read from: tokenizer.json or, without one, all that may make up for it.
  /// Whether it does, who reads them knows. Empty if there is none.
  std::vector<std::filesystem::path> tokenizer_files;
  /// Files to map: the shards that the index names, sorted, or the one file. Empty if there are
  /// none and none were required.
  std::vector<std::filesystem::path> weight_files;
  /// Hex digest of config.json, the tokenizer's files and the settings that shape a vector: length
  /// limit, case, pooling, normalisation. Not of the weights, nor of the prompts, which are Ivy's
  /// alone.
  std::string fingerprint;
};

struct OpenOptions {
  std::optional<PoolingMode> pooling = std::nullopt;  ///< --pooling; wins over the folder.
  /// --max-length; more than the model's positions is an error.
  std::optional<int> max_length = std::nullopt;
  bool weights_required = true;  ///< False for --weights random:SEED and for Ivy alone.
};

/// Reads config.json, modules.json and what it names, in both sentence-transformers layouts.
/// Touches no weight byte. Errors name the file (and key) and what was expected; code NotFound or
/// InvalidArgument. Pooling: the flag wins over the folder; where no Pooling module is named it is
/// the mean, as in sentence-transformers, and pooling_is_default says so. Without modules.json
/// nothing is normalised.
absl::StatusOr<ModelFolder> Open(const std::filesystem::path& path,
                                 const OpenOptions& options = {});

}  // namespace hub
