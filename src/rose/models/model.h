#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "rose/core/ops.h"

namespace rose {

/// One step (or one worker's share of it) as a model reads it. The spans lie in the memory of the
/// device that runs the step, except shape.cu_seqlens and prompt_lengths, which the host reads.
struct ModelInput {
  std::span<const int32_t> ids = {};             ///< [tokens]
  std::span<const int32_t> position_ids = {};    ///< [tokens], from 0 in each sequence.
  std::span<const int32_t> type_ids = {};        ///< [tokens]
  std::span<const int32_t> prompt_lengths = {};  ///< [sequences], or empty: all 0.
  std::span<const uint8_t> normalize = {};       ///< [sequences]
  BatchShape shape = {};
};

/// The body of a family: ids in, last hidden states out. Immutable; any number of Ops may run
/// Forward at once.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// [tokens × hidden_size] in the arena of `ops`.
  virtual Tensor Forward(Ops& ops, const ModelInput& input) const = 0;
  virtual int64_t hidden_size() const = 0;
  virtual int64_t vocabulary_size() const = 0;
  /// Most tokens of one sequence that the position table allows.
  virtual int64_t positions_max() const = 0;
  /// type_ids lie below it.
  virtual int64_t type_vocabulary_size() const = 0;
};

}  // namespace rose
