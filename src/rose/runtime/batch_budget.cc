#include "rose/runtime/batch_budget.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "common/check.h"
#include "rose/runtime/synthetic_batch.h"

namespace rose {
namespace {

/// Queries, sentences and passages, as a server sees them side by side.
constexpr std::array<int64_t, 5> kLengths = {16, 128, 32, 256, 64};

hub::Outputs OutputsOf(const EngineInfo& info) {
  hub::Outputs given;
  for (const hub::Output output : hub::kAllOutputs) {
    if (info.outputs[output].columns > 0) given |= output;
  }
  CHECK(!given.empty());
  return given;
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

/// Tokens per µs.
double RateOf(const BatchCurve::value_type& point) {
  return static_cast<double>(point.first) / static_cast<double>(point.second);
}

double BestRate(const BatchCurve& curve) {
  CHECK(!curve.empty());
  double best = 0;
  for (const auto& point : curve) best = std::max(best, RateOf(point));
  return best;
}

}  // namespace

BatchCurve MeasureBatchCurve(Engine& engine, const CurveLimits& limits,
                             const common::Clock& clock) {
  constexpr int kShares = 16;  // No point takes more than this part of the time, but for one run.
  const common::TimePoint begin = clock.Now();
  const hub::Output output = FirstOutput(OutputsOf(engine.info()));
  std::array lengths = kLengths;
  for (int64_t& length : lengths) length = std::min(length, limits.length_max);
  BatchCurve curve;
  int64_t tokens = std::min<int64_t>(16, limits.tokens_max);
  while (tokens <= limits.tokens_max) {
    const SyntheticBatch batch(tokens, lengths, engine.info().vocabulary_size);
    const common::Duration run =
        ShortestRun(engine, batch.view(output), limits.time / kShares, clock);
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
  const double best = BestRate(curve);
  const auto first = std::find_if(curve.begin(), curve.end(), [&](const auto& point) {
    return RateOf(point) >= efficiency * best;
  });
  return first->first;
}

int64_t WithinStepTime(const BatchCurve& curve, int64_t tokens) {
  constexpr double kStepUs = 250'000;
  return std::min(tokens, static_cast<int64_t>(kStepUs * BestRate(curve)));
}

void MeasureBatchBudget(Engine& engine, const hub::ModelFolder& folder,
                        const EngineOptions& options, int64_t side_by_side_tokens,
                        EngineInfo& info) {
  if (!options.measure_curve) return;
  info.batch_curve = MeasureBatchCurve(
      engine, {.tokens_max = options.max_batch_tokens, .length_max = folder.max_length});
  const int64_t reached = ChooseBatchBudget(info.batch_curve, options.batch_efficiency);
  const int64_t side_by_side =
      std::min(WithinStepTime(info.batch_curve, side_by_side_tokens), options.max_batch_tokens);
  info.saturation_tokens = std::max(reached, side_by_side);
  std::string points;
  for (const auto& [tokens, us] : info.batch_curve) points += fmt::format(" {}:{}", tokens, us);
  spdlog::info("batch budget: {} tokens; {} reach {} of the best tokens/s; curve (tokens:us){}",
               info.saturation_tokens, reached, options.batch_efficiency, points);
}

}  // namespace rose
