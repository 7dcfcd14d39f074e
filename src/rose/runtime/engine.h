#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/check.h"
#include "common/status.h"
#include "hub/model_folder.h"
#include "hub/outputs.h"
#include "rose/core/batch.h"
#include "rose/core/output_rows.h"
#include "rose/runtime/lazy_tensor.h"

namespace rose {

/// Most that max_batch_tokens may be: buffers are made for the largest step, and far beyond any use
/// they would exhaust the memory.
inline constexpr int64_t kBatchTokensMax = int64_t{1} << 20;

struct EngineOptions {
  std::string device = "auto";  ///< auto | cpu | cuda:N: auto is the first GPU that can be used.
  std::string dtype = "auto";   ///< auto | float32 | bfloat16
  std::string isa = "auto";     ///< auto | avx2 | avx512 | avx512_bf16 | amx: a cap.
  std::optional<uint64_t> random_weights_seed = {};  ///< --weights random:SEED; empty: the files.
  int64_t max_batch_tokens = 16384;
  int workers = 0;                 ///< CPU worker threads; 0: one for each core.
  double batch_efficiency = 0.95;  ///< Share of the best tokens/s that the batch budget must reach.
  bool measure_curve = true;       ///< False (tests): the budget is max_batch_tokens.

  // Of a GPU.
  std::string tuning = "auto";     ///< auto | off | the file of choices that `parterre tune` wrote.
  std::string attention = "auto";  ///< auto | the backend that computes all attention.
  std::string cuda_graphs = "lazy";      ///< lazy | eager | off: when graphs are captured.
  int64_t cuda_graph_memory_mib = 2048;  ///< The least recently used graphs go beyond it.
  int64_t cuda_spin_us = 20'000;         ///< How long a step is polled before its thread sleeps.
  bool poison_scratch = common::kDebugBuild;  ///< Scratch is NaN at the begin of each step.
};

struct EngineInfo {
  std::string family = {};
  std::string pooling = {};      ///< "mean", "cls", …; several joined by "+"
  std::string fingerprint = {};  ///< The folder's.
  std::string device = {};
  std::string dtype = {};
  std::string isa = {};
  hub::PerOutput<OutputShape> outputs = {};       ///< Without columns: not to be asked for.
  std::vector<int32_t> sparse_ids_left_out = {};  ///< Where sparse weights are per token.
  int64_t max_length = 0;                         ///< Most tokens of one sequence.
  int64_t vocabulary_size = 0;
  int64_t type_vocabulary_size = 1;  ///< Type ids are in [0, this); 1: all are 0.
  /// Most tokens that one Step takes: max(max_batch_tokens, the model's max_length).
  int64_t step_tokens_max = 0;
  /// Most sequences that one Step takes: bounds the memory of wide rows.
  int64_t step_sequences_max = 0;
  int64_t saturation_tokens = 0;
  std::vector<std::pair<int64_t, int64_t>> batch_curve = {};  ///< tokens → µs
  int64_t memory_bytes = 0;                                   ///< Weights and arenas.
};

/// What became of an engine's steps where graphs are captured; else all 0.
struct GraphCounters {
  int64_t eager = 0;     ///< Steps that ran without a graph.
  int64_t captures = 0;  ///< Graphs made; the step that makes one runs it.
  int64_t replays = 0;   ///< Steps that ran a graph made before.
  int64_t evictions = 0;
  int64_t memory_bytes = 0;  ///< Of the graphs that are kept.
};

/// Runs one model on one device. The only door of ROSE: its input is a Batch, its output floats.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Loads weights, makes primitives and arenas, warms up, measures the curve. After it returns, a
  /// step allocates nothing. Errors (InvalidArgument, NotFound) name file, tensor or key.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const hub::ModelFolder& folder,
                                                        const EngineOptions& options);

  /// Measures choices for the model on options.device and stores them where options.tuning says,
  /// for engines to come. Unimplemented where there is nothing to choose.
  static absl::Status Tune(const hub::ModelFolder& folder, const EngineOptions& options);

  virtual const EngineInfo& info() const = 0;
  /// Steps that may be in flight at once (2). A further Step is our own bug.
  virtual int steps_in_flight_max() const = 0;
  /// Queues the step and returns at once. One thread: the engine thread. All LazyTensors must be
  /// gone before the engine is.
  virtual std::unique_ptr<LazyTensor> Step(const Batch& batch) = 0;
  /// Of the steps so far. The engine thread.
  virtual GraphCounters graph_counters() const { return {}; }
};

}  // namespace rose
