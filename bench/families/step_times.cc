#include "bench/families/step_times.h"

#include <algorithm>
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
  StepTimes times{.wall = {}, .processor_ms = 1e18};
  std::vector<common::Duration> walls;
  const common::TimePoint begin = clock.Now();
  while (walls.size() < kStepsMin || Milliseconds(clock.Now() - begin) < seconds * 1e3) {
    const double processor = ProcessorMilliseconds();
    const common::TimePoint start = clock.Now();
    engine.Step(batch.view())->Wait();
    walls.push_back(clock.Now() - start);
    times.processor_ms = std::min(times.processor_ms, ProcessorMilliseconds() - processor);
  }
  times.wall = Summarize(std::move(walls));
  return times;
}

}  // namespace bench
