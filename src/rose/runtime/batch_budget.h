#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/clock.h"
#include "hub/model_folder.h"
#include "rose/runtime/engine.h"

namespace rose {

/// Tokens of a step → µs it takes, tokens ascending.
using BatchCurve = std::vector<std::pair<int64_t, int64_t>>;

struct CurveLimits {
  int64_t tokens_max = 0;  ///< Of a step.
  int64_t length_max = 0;  ///< Tokens of a sequence.
  /// The measurement ends before the step that would exceed it; one step is always measured.
  common::Duration time = std::chrono::seconds(1);
};

/// Times steps of growing token counts (16, 24, 32, 48, 64, … or tokens_max if that is less) made
/// of sequences of ordinary lengths, on an engine that is otherwise idle: the shortest of a few
/// runs each.
BatchCurve MeasureBatchCurve(Engine& engine, const CurveLimits& limits,
                             const common::Clock& clock = common::Clock::Steady());

/// The smallest token count on the curve whose tokens/s reach `efficiency` (0…1] of the best on it.
/// The curve is not empty.
int64_t ChooseBatchBudget(const BatchCurve& curve, double efficiency);

/// `tokens`, but no more than a step of 250 ms takes at the best tokens/s of the curve: what comes
/// next waits for it.
int64_t WithinStepTime(const BatchCurve& curve, int64_t tokens);

/// All of the above for a model that has just been loaded: sets batch_curve and saturation_tokens
/// of `info`, the engine's own, and logs them. `side_by_side_tokens`: as many as a step should have
/// where so many wait, whatever the curve of short steps says; 0: none such. Nothing happens where
/// options.measure_curve is false.
void MeasureBatchBudget(Engine& engine, const hub::ModelFolder& folder,
                        const EngineOptions& options, int64_t side_by_side_tokens,
                        EngineInfo& info);

}  // namespace rose
