#pragma once

#include <filesystem>
#include <vector>

#include "hub/dense_module.h"

namespace hub {

/// What makes vectors for late interaction of the hidden states, each brought to unit length in the
/// end. Khattab and Zaharia, ColBERT, arXiv:2004.12832.
struct ColbertHead {
  /// bge-m3's colbert_linear, .safetensors or .pt: weight [out × hidden], bias [out]. The first
  /// token gets no vector. Empty: `dense` instead.
  std::filesystem::path file;
  /// Dense modules that stand in modules.json without a Pooling before them, applied to every token
  /// one after another.
  std::vector<DenseModule> dense;
};

}  // namespace hub
