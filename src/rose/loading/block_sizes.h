#pragma once

#include <cstdint>
#include <string_view>

#include "common/status.h"
#include "hub/config.h"
#include "rose/core/ops.h"

namespace rose {

/// The numbers that all blocks of an encoder share.
struct BlockSizes {
  int64_t hidden = 0;
  int64_t inner = 0;  ///< Of the perceptron.
  float epsilon = 0;  ///< Of the norms.
  Activation activation = Activation::kGelu;
  AttentionParams attention = {};
};

/// hidden_size, intermediate_size, hidden_act and the norms' `epsilon_key`, as most configs have
/// them; attention is the family's to read. Errors name the key and what was expected.
absl::StatusOr<BlockSizes> ReadBlockSizes(const hub::Config& config, std::string_view epsilon_key,
                                          float epsilon);

}  // namespace rose
