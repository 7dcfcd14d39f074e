#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/clock.h"
#include "common/status.h"
#include "common/trace/span.h"
#include "hub/outputs.h"
#include "wire/cancel_token.h"

/// The contract between Ivy (which has text) and Tulip (which has weights): plain data, no
/// protobuf.
namespace wire {

/// Sequences of token ids, packed. Rows of the result stand in the order of `lengths`.
struct InferenceRequest {
  std::string model;              ///< Served name; empty: the only one.
  std::vector<int32_t> ids;       ///< All sequences, one after the other; each in [0, vocabulary).
  std::vector<int32_t> lengths;   ///< Tokens of each sequence, all ≥ 1; sum = ids.size().
  std::vector<int32_t> type_ids;  ///< As ids, each in [0, type_vocabulary); empty: all 0.
  /// Leading tokens of each sequence that the prompt takes, ≤ its length; empty: all 0. Pooling
  /// leaves them out where the model says so.
  std::vector<int32_t> prompt_lengths;
  hub::Outputs outputs = hub::Output::kDense;  ///< At least one; the model gives them all.
  bool normalize = true;  ///< L2-normalise each dense vector, v / max(‖v‖₂, 1e-12).
  /// The same for all requests that are parts of one job, which then have one turn where turns are
  /// taken between jobs; drawn at random, so that no other job has it. 0: a job of its own.
  uint64_t job = 0;
  common::TimePoint deadline = common::TimePoint::max();
  std::shared_ptr<const CancelToken> cancel;  ///< May be null.
  std::string request_id;                     ///< For logs; may be empty.
  common::Trace trace;                        ///< What the work on it is part of.
  int attempt = 1;                            ///< 2: another replica was asked for it before.
};

struct Timing {
  int64_t queue_us = 0;      ///< Enqueued → last of its sequences taken into a batch.
  int64_t compute_us = 0;    ///< Its (last) batch handed to the engine → result ready.
  int32_t batch_tokens = 0;  ///< Tokens of the (largest) batch it was part of.
};

/// A row for each sequence.
struct Matrix {
  int32_t columns = 0;
  std::vector<float> values;  ///< [sequences × columns], row-major.
};

/// A row for each token; those of sequence s are offsets[s] … offsets[s + 1] − 1.
struct TokenMatrix {
  int32_t columns = 0;
  std::vector<int64_t> offsets = {0};  ///< [sequences + 1]
  std::vector<float> values;           ///< [offsets.back() × columns], row-major.
};

/// Weights above 0 of vocabulary ids, the ids of a sequence in rising order; those of sequence s
/// are offsets[s] … offsets[s + 1] − 1.
struct SparseMatrix {
  std::vector<int64_t> offsets = {0};  ///< [sequences + 1]
  std::vector<int32_t> ids;
  std::vector<float> weights;
};

/// What was asked for is filled, the rest is empty; all values are finite.
struct InferenceResult {
  int32_t sequences = 0;  ///< As many as were asked for.
  Matrix dense;
  Matrix scores;  ///< Logits.
  SparseMatrix sparse;
  TokenMatrix tokens;
  TokenMatrix colbert;
  Timing timing;
  int64_t load_tokens = 0;  ///< What waits and what runs at the replica when it answers.
};

/// What a replica runs; constant after start.
struct ModelInfo {
  std::string name;         ///< Served name.
  std::string family;       ///< "bert"
  std::string dtype;        ///< "float32", "bfloat16"
  std::string device;       ///< "cpu", "cuda:0"
  std::string pooling;      ///< "mean", "cls", …; several joined by "+"
  std::string fingerprint;  ///< Of tokenizer and config; Ivy compares it with its own.
  hub::Outputs outputs;     ///< What it gives.
  int32_t dimension = 0;    ///< Of a dense vector; 0: gives none.
  int32_t labels = 0;       ///< Scores of a sequence.
  int32_t hidden_size = 0;  ///< Of a token's hidden state.
  int32_t colbert_dimension = 0;
  int32_t max_length = 0;  ///< Most tokens of one sequence.
  int32_t vocabulary_size = 0;
  int32_t type_vocabulary_size = 1;  ///< Type ids are in [0, this); 1: all are 0.
  int64_t max_batch_tokens = 0;      ///< Most tokens of one step.
  int64_t saturation_tokens = 0;     ///< Batch budget in force.
  /// Measured when the engine started: tokens of a step → µs.
  std::vector<std::pair<int64_t, int64_t>> batch_curve;
  int64_t memory_bytes = 0;   ///< Weights and arenas, of all its engines.
  int32_t engines = 1;        ///< That share the work; at least 1.
  std::string schedule = {};  ///< Whose turn it is when work waits: "fcfs", "fair".
};

/// One replica as Ivy sees it. Any thread.
class InferenceClient {
 public:
  using Callback = std::function<void(absl::StatusOr<InferenceResult>)>;
  virtual ~InferenceClient() = default;

  /// Never blocks. `done` runs exactly once, perhaps before Infer returns, perhaps on a thread of
  /// the client's; it must not block. Errors: InvalidArgument (request malformed; our own bug
  /// upstream), NotFound (model), ResourceExhausted (queue full), DeadlineExceeded, Cancelled,
  /// Unavailable (shutting down, replica gone), Internal (forward failed; a value that is not
  /// finite: a SequenceError).
  virtual void Infer(InferenceRequest request, Callback done) = 0;

  /// Whether a replica has told what it runs; once true, it stays so.
  virtual bool Ready() const { return true; }
  /// What the replica runs, constant once Ready. Until then what is known of it, which is enough to
  /// be shown, not to make a request from.
  virtual const ModelInfo& Info() const = 0;
  /// False once the engine has failed; Ivy's /health follows it.
  virtual bool Healthy() const = 0;

  /// How many engines share the work just now, at least 1: a job has chunks under way for each.
  virtual int Engines() const { return 1; }
};

}  // namespace wire
