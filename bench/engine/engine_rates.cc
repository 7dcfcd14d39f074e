// How long a step takes on a device: ids in, vectors out, configs with random weights, in process.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/families/shape.h"
#include "bench/families/work.h"
#include "bench/latency.h"
#include "common/clock.h"
#include "hub/model_folder.h"
#include "rose/runtime/engine.h"

namespace bench {
namespace {

struct Options {
  std::vector<std::string> folders;
  std::vector<std::string> shapes = {"1x32", "1x128", "1x512", "1x4096", "25x512", "100x512"};
  double seconds = 2;
  rose::EngineOptions engine = {
      .random_weights_seed = 1, .max_batch_tokens = 51200, .measure_curve = false};
};

/// Steps of one shape, one after the other.
struct StepRates {
  LatencySummary wall;          ///< From Step to the rows.
  LatencySummary queue;         ///< Of that, until Step returns: what the host does.
  double slowest_first_ms = 0;  ///< Of the first three steps.
};

StepRates Measure(rose::Engine& engine, const Shape& shape, double seconds) {
  constexpr std::size_t kFirst = 3, kRunsMin = 10;
  const common::Clock& clock = common::Clock::Steady();
  const FilledBatch batch(shape, engine.info().vocabulary_size);
  std::vector<common::Duration> walls, queues;
  StepRates rates;
  const auto run = [&] {
    const common::TimePoint start = clock.Now();
    const auto step = engine.Step(batch.view());
    queues.push_back(clock.Now() - start);
    step->Wait();
    walls.push_back(clock.Now() - start);
  };
  for (std::size_t i = 0; i < kFirst; ++i) run();
  rates.slowest_first_ms = Milliseconds(*std::max_element(walls.begin(), walls.end()));
  walls.clear();
  queues.clear();
  const common::TimePoint begin = clock.Now();
  while (walls.size() < kRunsMin || Milliseconds(clock.Now() - begin) < seconds * 1e3) run();
  rates.wall = Summarize(std::move(walls));
  rates.queue = Summarize(std::move(queues));
  return rates;
}

absl::Status MeasureModel(const std::string& path, const Options& options) {
  ASSIGN_OR_RETURN(const hub::ModelFolder folder, hub::Open(path, {.weights_required = false}));
  const common::Clock& clock = common::Clock::Steady();
  const common::TimePoint begin = clock.Now();
  ASSIGN_OR_RETURN(const auto engine, rose::Engine::Create(folder, options.engine));
  ASSIGN_OR_RETURN(const auto counter, WorkCounter::Create(folder));
  fmt::print("\n### {} in {} on {} ({}), ready after {:.1f} s\n\n", folder.name,
             engine->info().dtype, engine->info().device, engine->info().isa,
             Milliseconds(clock.Now() - begin) / 1e3);
  fmt::print(
      "| shape | p50 ms | p99 ms | host µs p50 | slowest of the first three ms | tokens/s | "
      "TFLOP/s |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const std::string& text : options.shapes) {
    ASSIGN_OR_RETURN(const Shape shape, ParseShape(text));
    if (shape.length > folder.max_length) continue;
    const StepRates rates = Measure(*engine, shape, options.seconds);
    const Work work = counter->Count(FilledBatch(shape, 1).cu_seqlens());
    const double seconds = rates.wall.p50_ms * 1e-3;
    fmt::print("| {} | {:.3f} | {:.3f} | {:.1f} | {:.1f} | {:.0f} | {:.1f} |\n", shape.name(),
               rates.wall.p50_ms, rates.wall.p99_ms, rates.queue.p50_ms * 1e3,
               rates.slowest_first_ms, static_cast<double>(shape.tokens()) / seconds,
               (work.flops()) / seconds * 1e-12);
    std::fflush(stdout);
  }
  const rose::GraphCounters graphs = engine->graph_counters();
  fmt::print("\nGraphs: {} captured, {} replays, {} eager steps, {:.1f} MiB\n", graphs.captures,
             graphs.replays, graphs.eager, static_cast<double>(graphs.memory_bytes) / (1 << 20));
  return absl::OkStatus();
}

absl::Status Run(const Options& options) {
  for (const std::string& folder : options.folders) {
    RETURN_IF_ERROR(MeasureModel(folder, options));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app{"Time of a step, from token ids to vectors"};
  app.add_option("folders", options.folders, "model folders; config.json and modules.json will do")
      ->required();
  app.add_option("--shape", options.shapes, "SEQUENCESxTOKENS, several times")
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "for each shape")->capture_default_str();
  app.add_option("--device", options.engine.device, "cpu or cuda:N")->capture_default_str();
  app.add_option("--dtype", options.engine.dtype, "float32 or bfloat16")->capture_default_str();
  app.add_option("--attention", options.engine.attention, "its backend")->capture_default_str();
  app.add_option("--cuda-graphs", options.engine.cuda_graphs)->capture_default_str();
  app.add_option("--tuning", options.engine.tuning, "auto, off or a file")->capture_default_str();
  app.add_option("--cuda-spin-us", options.engine.cuda_spin_us)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (const absl::Status status = bench::Run(options); !status.ok()) {
    fmt::print(stderr, "engine_rates: {}\n", std::string(status.message()));
    return 2;
  }
}
