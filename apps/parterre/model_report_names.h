#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hub/model_folder.h"

// What the table and the JSON object of a model report both spell out.

inline constexpr int64_t kFloat32Bytes = 4;
inline constexpr int64_t kBFloat16Bytes = 2;

std::vector<std::string> TokenizerFileNames(const hub::ModelFolder& folder);
/// "2_Dense: 768 → 3072, Identity, no bias".
std::string DenseText(const hub::DenseModule& module);
