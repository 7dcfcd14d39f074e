#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hub/model_folder.h"
#include "rose/runtime/engine.h"

namespace rose {

/// Tokens of a step → µs it takes, tokens ascending.
using BatchCurve = std::vector<std::pair<int64_t, int64_t>>;

/// The smallest measured token count whose tokens/s reach `efficiency` (0…1] of the best on the
/// curve, which is not empty.
int64_t ChooseBatchBudget(const BatchCurve& curve, double efficiency);

/// Times steps of growing token counts, in sequences of ordinary length, on an engine that is
/// otherwise idle, for a second or so; sets batch_curve and saturation_tokens of `info` (the
/// engine's own) and logs them. Does nothing where options.measure_curve is false.
void MeasureBatchBudget(Engine& engine, const hub::ModelFolder& folder,
                        const EngineOptions& options, EngineInfo& info);

}  // namespace rose
