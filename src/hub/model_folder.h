#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/status.h"
#include "hub/classifier.h"
#include "hub/colbert_head.h"
#include "hub/config.h"
#include "hub/dense_module.h"
#include "hub/logit_score.h"
#include "hub/model_shape.h"
#include "hub/outputs.h"
#include "hub/pooling.h"
#include "hub/quantization.h"
#include "hub/rerank_template.h"
#include "hub/sparse_head.h"
#include "hub/splade.h"
#include "hub/task.h"

namespace hub {

/// What a model folder says, as plain data: the one reading of it that Ivy (tokenizer, prompts,
/// labels, limits) and ROSE (shapes, weights, heads) share. Immutable after Open.
struct ModelFolder {
  std::filesystem::path path;
  std::string name;        ///< Last component of the path.
  std::string model_type;  ///< config.json's, e.g. "bert".
  std::vector<std::string> architectures;
  Config config;     ///< config.json
  ModelShape shape;  ///< Of the body, as config.json gives it.

  Task task = Task::kEmbedding;
  std::string task_source;  ///< What decided it: "config.json: architectures", "--task", …
  Outputs outputs;          ///< What the files are there for; what is served may be less.

  // Output::kDense: pooled, then the Dense modules in turn, then of unit length if `normalize`.
  Pooling pooling;                  ///< No mode unless `outputs` has kDense.
  std::string pooling_source;       ///< File, flag or "default of qwen3"; empty without modes.
  bool pooling_is_default = false;  ///< No file and no flag said it; worth a warning.
  std::vector<DenseModule> dense;   ///< Their features chain from the pooled vector on.
  bool normalize = false;           ///< A Normalize module ends the pipeline.
  Quantization quantization = Quantization::kNone;
  /// Values of the dense vector; nothing without one, or if config.json gives no hidden size.
  std::optional<int64_t> dimension;

  // Output::kScores.
  std::optional<Classifier> classifier;   ///< Exactly where `outputs` has kScores.
  std::optional<LogitScore> logit_score;  ///< The score comes from the language head, not a row.
  std::optional<RerankTemplate> rerank_template;  ///< What a pair is put into; else a plain pair.

  // Output::kSparse: exactly one of the two. Output::kColbert: the head.
  std::optional<Splade> splade;
  std::optional<SparseHead> sparse_head;
  std::optional<ColbertHead> colbert_head;

  /// Most tokens of one input, special tokens included; ReadLengthLimit has the rule.
  int max_length = 0;
  std::string max_length_source;  ///< File and key, or flag, that max_length comes from.
  bool lower_case = false;  ///< Texts are lower-cased, code point by code point, before all else.
  std::map<std::string, std::string> prompts;
  std::optional<std::string> default_prompt_name;
  std::filesystem::path tokenizer_folder;
  /// What the tokenizer is read from: tokenizer.json or, without one, all that may make up for it.
  /// Whether it does, who reads them knows. Empty if there is none.
  std::vector<std::filesystem::path> tokenizer_files;
  /// Files to map: the shards that the index names, sorted, or the one file; safetensors, or
  /// pytorch_model.bin without it. Empty if there are none and none were required.
  std::vector<std::filesystem::path> weight_files;
  /// What the folder asks for and Open would refuse, where OpenOptions say to keep it.
  std::vector<std::string> unsupported;
  /// Hex digest of config.json, the tokenizer's files and the settings that shape an answer: length
  /// limit, case, task, pooling, modules, heads, labels, template. Not of the weights, nor of the
  /// prompts, which are Ivy's alone.
  std::string fingerprint;
};

struct OpenOptions {
  std::optional<PoolingMode> pooling = std::nullopt;  ///< --pooling; wins over the folder.
  /// --max-length; more than the model's positions is an error.
  std::optional<int> max_length = std::nullopt;
  std::optional<Task> task = std::nullopt;  ///< --task; wins over the folder where it can.
  /// --rerank-template: "auto" (the one of a known family), "none", "qwen3", or the path of a file
  /// as ReadRerankTemplate takes it.
  std::string rerank_template = "auto";
  bool weights_required = true;   ///< False for --weights random:SEED and for Ivy alone.
  bool keep_unsupported = false;  ///< True for inspect: unknown modules are told, not refused.
};

/// Reads config.json, modules.json and what it names, in both sentence-transformers layouts.
/// Touches no weight byte. Errors name the file (and key) and what was expected; code NotFound or
/// InvalidArgument.
///
/// Task: the flag; a Pooling, SpladePooling or LogitScore module; *ForSequenceClassification among
/// the architectures (one label: a reranker, several: a classifier); Qwen3ForCausalLM without
/// modules.json whose path contains "reranker": a reranker that answers yes or no; else an
/// embedding model. Pooling: the flag wins over the folder; where no Pooling module is named it is
/// the family's default, and pooling_is_default says so. Without modules.json nothing is
/// normalised.
absl::StatusOr<ModelFolder> Open(const std::filesystem::path& path,
                                 const OpenOptions& options = {});

}  // namespace hub
