#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "common/status.h"

namespace bench {

/// What tokenizing one text costs, on one thread.
struct TokenizerSuite {
  std::filesystem::path tokenizer;  ///< tokenizer.json, or the folder that holds it
  /// Texts: a little-endian u32 count, then of each text its u32 length in bytes and the bytes.
  std::filesystem::path texts;
  /// A file of the same kind, of which kWarmUpTexts are encoded first; empty: none.
  std::filesystem::path warm_up;
  double seconds = 0.5;  ///< of the warm measurement; every text is encoded at least once

  static constexpr std::size_t kWarmUpTexts = 40;
};

/// The texts of such a file. Errors name the file and what is wrong with it.
absl::StatusOr<std::vector<std::string>> ReadTexts(const std::filesystem::path& path);

/// Times every text once, the first time that this tokenizer sees it ("first": what a server sees
/// of new traffic), then all of them again and again ("warm"). Returns, all times in microseconds,
/// {"p50", "p99": warm, "remembered", "split": shares of the words, "first_p50" and so on: the same
/// for first, "tokens": mean, special tokens included, "texts", "memory_mib"}.
absl::StatusOr<nlohmann::json> RunTokenizerSuite(const TokenizerSuite& suite);

}  // namespace bench
