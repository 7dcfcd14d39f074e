#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

enum class InputKind { kIds, kText };

/// What the requests of one run hold.
struct Workload {
  InputKind input = InputKind::kIds;
  int batch = 1;            ///< Inputs of one request.
  int length = 32;          ///< Of one input: token ids, or words.
  int vocabulary = 30'000;  ///< Ids are drawn from its upper nine tenths: special tokens stand low.
  std::string model{};      ///< The requests' "model"; empty: none is sent.
};

/// `count` different JSON bodies of /v1/embeddings that ask for base64. The same for the same seed
/// on every machine.
std::vector<std::string> MakeBodies(const Workload& workload, int count, uint64_t seed);

}  // namespace bench
