#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hub {

// Which of a repository's files a model needs. `listed`: all its files; `folder`: "" or that of a
// module, "1_Pooling". Everything else (ONNX, OpenVINO, GGUF, Flax, TensorFlow, pictures) stays
// where it is.

/// Settings and tokenizer, all small: config.json, modules.json and so on, those of them that
/// `folder` has; tokenizer.json or, without one, vocab.txt and what else may make up for it.
std::vector<std::string> SettingsFiles(const std::vector<std::string>& listed,
                                       std::string_view folder);

/// The one file to start reading the weights of `folder` from: model.safetensors.index.json,
/// model.safetensors, pytorch_model.bin.index.json, pytorch_model.bin, the first that it has. Empty
/// if it has none.
std::string WeightFile(const std::vector<std::string>& listed, std::string_view folder);

/// Whether this is an index, which names the files that hold the tensors.
bool IsWeightIndex(std::string_view file);

/// Weights beside the model's own: sparse_linear and colbert_linear, as safetensors if they can be
/// had so, else as .pt.
std::vector<std::string> HeadFiles(const std::vector<std::string>& listed);

/// folder/name
std::string Below(std::string_view folder, std::string_view name);

}  // namespace hub
