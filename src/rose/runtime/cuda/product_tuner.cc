#include "rose/runtime/cuda/product_tuner.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "rose/cuda/graph.h"
#include "rose/cuda/status.h"
#include "rose/runtime/synthetic_batch.h"

namespace rose {
namespace {

constexpr std::array<int64_t, 17> kTokens = {192,   256,   384,   512,   768,  1024,
                                             1536,  2048,  3072,  4096,  6144, 8192,
                                             12288, 16384, 24576, 32768, 51200};
/// Below it noise decides.
constexpr double kGain = 0.995;
/// Above it another round would not help.
constexpr double kHopeless = 1.01;
/// So long that clocks are steady.
constexpr double kRunMs = 20;
constexpr int kRounds = 3;

using SteadyClock = std::chrono::steady_clock;

double MillisecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double, std::milli>(SteadyClock::now() - begin).count();
}

}  // namespace

absl::Status ProductTuner::Tune(int64_t tokens_max, int64_t length) {
  for (const int64_t tokens : kTokens) {
    if (tokens <= tokens_max) RETURN_IF_ERROR(TuneStep(tokens, length));
  }
  return absl::OkStatus();
}

absl::Status ProductTuner::TuneStep(int64_t tokens, int64_t length) {
  const SyntheticBatch synthetic(tokens, {&length, 1}, /*vocabulary_size=*/1);
  const Batch batch = synthetic.view(pass_.FirstOutput());
  const GraphKey key{.bucket = BucketOf(batch.cu_seqlens), .outputs = batch.outputs};
  const kernels::StepHeader header{.tokens = static_cast<int32_t>(tokens),
                                   .sequences = static_cast<int32_t>(batch.sequences())};
  pass_.products().TakeSeen();
  // Once for each place of the ring, so that it repeats itself from then on.
  for (int i = 0; i < StepRing::kPlaces; ++i) {
    RETURN_IF_CUDA_ERROR(pass_.ring().Write(pass_.stream(), batch, key.bucket, header),
                         "copying a step's input");
    RETURN_IF_ERROR(pass_.QueueForward(key));
    RETURN_IF_ERROR(pass_.stream().Wait());
  }
  for (const cuda::ProductShape& shape : pass_.products().TakeSeen()) {
    if (shape.rows == tokens) RETURN_IF_ERROR(TuneShape(key, shape));
  }
  return absl::OkStatus();
}

absl::Status ProductTuner::TuneShape(const GraphKey& key, const cuda::ProductShape& shape) {
  ASSIGN_OR_RETURN(cuda::Graph best, Capture(key));
  steps_ = 1;
  ASSIGN_OR_RETURN(const double once, Time(best));
  steps_ = std::max(1, static_cast<int>(kRunMs / once));
  int chosen = 0;
  double before = 0, now = 0;
  for (int candidate = 1; candidate < pass_.products().Candidates(shape); ++candidate) {
    pass_.products().Use(shape, candidate);
    ASSIGN_OR_RETURN(cuda::Graph graph, Capture(key));
    double best_ms = std::numeric_limits<double>::max(), graph_ms = best_ms;
    for (int round = 0; round < kRounds && graph_ms < best_ms * kHopeless; ++round) {
      ASSIGN_OR_RETURN(const double old_time, Time(best));
      ASSIGN_OR_RETURN(const double new_time, Time(graph));
      best_ms = std::min(best_ms, old_time);
      graph_ms = std::min(graph_ms, new_time);
    }
    if (before == 0) before = now = best_ms;
    if (graph_ms < best_ms * kGain) {
      best = std::move(graph);
      chosen = candidate;
      now = graph_ms;
    }
  }
  if (pass_.products().Candidates(shape) > 0) pass_.products().Use(shape, chosen);
  choices_.Set(shape, chosen);
  if (chosen > 0) {
    spdlog::info("{} x {} x {}: candidate {}, steps of {:.3f} ms become {:.3f} ms", shape.rows,
                 shape.out_features, shape.in_features, chosen, before, now);
  }
  return absl::OkStatus();
}

absl::StatusOr<cuda::Graph> ProductTuner::Capture(const GraphKey& key) {
  return cuda::Graph::Capture(pass_.stream(), [&] { return pass_.QueueForward(key); });
}

absl::StatusOr<double> ProductTuner::Time(const cuda::Graph& graph) {
  const SteadyClock::time_point begin = SteadyClock::now();
  for (int i = 0; i < steps_; ++i) {
    pass_.ring().Repeat();
    RETURN_IF_CUDA_ERROR(graph.Launch(pass_.stream()), "launching a CUDA graph");
  }
  RETURN_IF_ERROR(pass_.stream().Wait());
  return MillisecondsSince(begin) / steps_;
}

}  // namespace rose
