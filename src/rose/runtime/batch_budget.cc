#include "rose/runtime/batch_budget.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "common/check.h"

namespace rose {
namespace {

/// Queries, sentences and passages, as a server sees them side by side.
constexpr std::array<int64_t, 5> kLengths = {16, 128, 32, 256, 64};

struct SyntheticBatch {
  std::vector<int32_t> ids;
  std::vector<int32_t> cu_seqlens;
  std::vector<uint8_t> normalize;

  SyntheticBatch(int64_t tokens, int64_t length_max, int64_t vocabulary_size) : cu_seqlens{0} {
    // A stride that is prime to any vocabulary size but its own multiples: rows all over the table.
    for (int64_t i = 0; i < tokens; ++i) {
      ids.push_back(static_cast<int32_t>(i * 7919 % vocabulary_size));
    }
    for (std::size_t s = 0; cu_seqlens.back() < tokens; ++s) {
      const int64_t length = std::min(kLengths[s % kLengths.size()], length_max);
      cu_seqlens.push_back(static_cast<int32_t>(std::min(cu_seqlens.back() + length, tokens)));
    }
    normalize.assign(cu_seqlens.size() - 1, 1);
  }
  Batch view(hub::Outputs outputs) const {
    return {.ids = ids,
            .type_ids = {},
            .cu_seqlens = cu_seqlens,
            .prompt_lengths = {},
            .normalize = normalize,
            .outputs = outputs};
  }
};

/// What the model is mostly asked for.
hub::Output FirstOutput(const EngineInfo& info) {
  const auto given =
      std::find_if(hub::kAllOutputs.begin(), hub::kAllOutputs.end(),
                   [&](hub::Output output) { return info.outputs[output].columns > 0; });
  CHECK(given != hub::kAllOutputs.end());
  return *given;
}

/// The next of 16, 24, 32, 48, 64, 96, …: powers of two and the points half-way between.
int64_t NextCount(int64_t tokens) {
  const bool power_of_two = (tokens & (tokens - 1)) == 0;
  return power_of_two ? tokens + tokens / 2 : tokens / 3 * 4;
}

/// The shortest run of a batch, of up to five runs or `time`.
common::Duration ShortestRun(Engine& engine, const Batch& batch, common::Duration time,
                             const common::Clock& clock) {
  constexpr int kRuns = 5;
  const common::TimePoint begin = clock.Now();
  common::Duration shortest = common::Duration::max();
  for (int run = 0; run < kRuns && (run == 0 || clock.Now() - begin < time); ++run) {
    const common::TimePoint start = clock.Now();
    engine.Step(batch)->Wait();
    shortest = std::min(shortest, clock.Now() - start);
  }
  return shortest;
}

}  // namespace

BatchCurve MeasureBatchCurve(Engine& engine, const CurveLimits& limits,
                             const common::Clock& clock) {
  constexpr int kShares = 16;  // No point takes more than this part of the time, but for one run.
  const common::TimePoint begin = clock.Now();
  BatchCurve curve;
  int64_t tokens = std::min<int64_t>(16, limits.tokens_max);
  while (tokens <= limits.tokens_max) {
    const SyntheticBatch batch(tokens, limits.length_max, engine.info().vocabulary_size);
    const common::Duration run =
        ShortestRun(engine, batch.view(FirstOutput(engine.info())), limits.time / kShares, clock);
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(run).count();
    curve.emplace_back(tokens, std::max<int64_t>(us, 1));
    if (tokens == limits.tokens_max) break;
    const int64_t next = NextCount(tokens);
    if (clock.Now() - begin + run * next / tokens > limits.time) break;
    tokens = next;
  }
  return curve;
}

int64_t ChooseBatchBudget(const BatchCurve& curve, double efficiency) {
  CHECK(!curve.empty());
  const auto rate = [](const auto& point) {
    return static_cast<double>(point.first) / static_cast<double>(point.second);
  };
  double best = 0;
  for (const auto& point : curve) best = std::max(best, rate(point));
  const auto first = std::find_if(curve.begin(), curve.end(), [&](const auto& point) {
    return rate(point) >= efficiency * best;
  });
  return first->first;
}

void MeasureBatchBudget(Engine& engine, const hub::ModelFolder& folder,
                        const EngineOptions& options, EngineInfo& info) {
  if (!options.measure_curve) return;
  info.batch_curve = MeasureBatchCurve(
      engine, {.tokens_max = options.max_batch_tokens, .length_max = folder.max_length});
  info.saturation_tokens = ChooseBatchBudget(info.batch_curve, options.batch_efficiency);
  std::string points;
  for (const auto& [tokens, us] : info.batch_curve) points += fmt::format(" {}:{}", tokens, us);
  spdlog::info("batch budget: {} tokens reach {} of the best tokens/s; curve (tokens:us){}",
               info.saturation_tokens, options.batch_efficiency, points);
}

}  // namespace rose
