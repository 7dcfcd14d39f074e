#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "common/status.h"

namespace bench {

/// What threads gain where many texts are encoded together.
struct TokenizerScaling {
  std::filesystem::path tokenizer;  ///< tokenizer.json, or the folder that holds it
  std::filesystem::path texts;      ///< as those of TokenizerSuite
  int threads = 0;                  ///< 0: one for each core
  double seconds = 1;               ///< at least five passes are made
};

/// Encodes all texts, again and again until there is 1 MiB for each thread, with one thread and
/// with all of them in turn. Returns, from the median passes, {"threads", "many_texts_per_s": with
/// all, "many_texts_per_s_one": with one, "many_scaling": how much of `threads` times the latter
/// the former is}.
absl::StatusOr<nlohmann::json> RunTokenizerScaling(const TokenizerScaling& scaling);

}  // namespace bench
