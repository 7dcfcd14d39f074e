#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hub/classifier.h"

namespace ivy {

/// What the activation makes of the logits, computed in double.
void Activate(hub::ScoreActivation activation, std::span<float> logits);

/// Indices of the values from the highest to the lowest, equal ones in their order. No value is
/// NaN.
std::vector<std::size_t> RankDescending(std::span<const float> values);

}  // namespace ivy
