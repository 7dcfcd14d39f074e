#include "bench/families/step_times.h"

#include <ctime>
#include <utility>
#include <vector>

#include "common/clock.h"

namespace bench {
namespace {

constexpr std::size_t kStepsMin = 3;

double ProcessorMilliseconds() { return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC; }

}  // namespace

StepTimes TimeSteps(rose::Engine& engine, const Shape& shape, double seconds) {
  const common::Clock& clock = common::Clock::Steady();
  const FilledBatch batch(shape, engine.info().vocabulary_size);
  std::vector<common::Duration> walls;
  double processor = 0;  // After the first step, which finds caches cold.
  const common::TimePoint begin = clock.Now();
  while (walls.size() < kStepsMin || Milliseconds(clock.Now() - begin) < seconds * 1e3) {
    const common::TimePoint start = clock.Now();
    engine.Step(batch.view())->Wait();
    walls.push_back(clock.Now() - start);
    if (walls.size() == 1) processor = ProcessorMilliseconds();
  }
  const auto others = static_cast<double>(walls.size() - 1);
  const double mean = (ProcessorMilliseconds() - processor) / others;
  return {.wall = Summarize(std::move(walls)), .processor_ms = mean};
}

}  // namespace bench
