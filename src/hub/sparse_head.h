#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/status.h"
#include "hub/config.h"

namespace hub {

/// bge-m3's lexical weights: relu(h · weightᵀ + bias) of each token and, for each vocabulary id of
/// the text, the largest of them. Chen et al., M3-Embedding, arXiv:2402.03216.
struct SparseHead {
  std::filesystem::path file;         ///< weight [1 × hidden], bias [1]; .safetensors or .pt.
  std::vector<int32_t> left_out_ids;  ///< Special tokens, which get no weight; sorted.
};

/// sparse_linear.safetensors, else sparse_linear.pt, beside config.json; nothing without them. The
/// ids left out are bos, eos, pad and unk as config.json gives them; the last one may stand in
/// tokenizer_config.json, and for XLM-RoBERTa it is 3 where no file says it.
absl::StatusOr<std::optional<SparseHead>> FindSparseHead(const std::filesystem::path& folder,
                                                         const Config& config);

}  // namespace hub
