#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/length_distribution.h"
#include "common/status.h"
#include "text/tokenizer.h"

namespace bench {

enum class InputKind { kIds, kText };

/// What the requests of one run hold. What it points to outlives it.
struct Workload {
  InputKind input = InputKind::kIds;
  int batch = 1;            ///< Inputs of one request.
  int length = 32;          ///< Of one input, in tokens; of texts without tokenizer in words.
  int vocabulary = 30'000;  ///< Ids are drawn from its upper nine tenths: special tokens stand low.
  const LengthDistribution* lengths = nullptr;  ///< Drawn from in place of `length`.
  const text::Tokenizer* tokenizer = nullptr;   ///< That counts the tokens of texts.
};

/// Inputs that are sent together.
struct Request {
  std::vector<std::vector<int32_t>> ids{};  ///< Of each input. Or:
  std::vector<std::string> texts{};         ///< each as text.
  std::vector<int32_t> tokens{};            ///< Of each input; empty where that is not known.

  int inputs() const { return static_cast<int>(ids.size() + texts.size()); }
  int64_t total_tokens() const;  ///< 0: not known.
};

/// `count` different requests. The same for the same seed on every machine. InvalidArgument where
/// the tokenizer makes no text of a length.
absl::StatusOr<std::vector<Request>> MakeRequests(const Workload& workload, int count,
                                                  uint64_t seed);

}  // namespace bench
