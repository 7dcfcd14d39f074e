#pragma once

#include <cstdint>
#include <span>

#include "rose/core/ops.h"

namespace rose {

/// One step (or one worker's share of it) as a model reads it. The spans lie in the memory of the
/// device that runs the step: encoders and heads hand them on to `Ops` unread.
struct ModelInput {
  std::span<const int32_t> ids = {};             ///< [tokens]
  std::span<const int32_t> position_ids = {};    ///< [tokens], from 0 in each sequence.
  std::span<const int32_t> type_ids = {};        ///< [tokens]
  std::span<const int32_t> prompt_lengths = {};  ///< [sequences], or empty: all 0.
  std::span<const uint8_t> normalize = {};       ///< [sequences], of the dense row.
  BatchShape shape = {};
};

}  // namespace rose
