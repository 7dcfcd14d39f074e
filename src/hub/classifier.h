#pragma once

#include <string>
#include <vector>

#include "common/status.h"
#include "hub/config.h"

namespace hub {

/// What turns a model's logits into the scores that it is asked for.
enum class ScoreActivation { kIdentity, kSigmoid, kSoftmax };

/// "identity", "sigmoid", "softmax".
const char* ScoreActivationName(ScoreActivation activation);

/// What the scores of a classifier or a reranker are.
struct Classifier {
  std::vector<std::string> labels;  ///< In the order of the logits; a reranker has one.
  ScoreActivation activation = ScoreActivation::kSoftmax;
};

/// The labels of config.json's id2label, or LABEL_0 … LABEL_(num_labels − 1) without it (2 of them
/// where num_labels is missing too, as in transformers). The activation is the one that a
/// cross-encoder's config names (sentence_transformers.activation_fn, before version 4
/// sbert_ce_default_activation_function), else the sigmoid for one label and softmax for several.
absl::StatusOr<Classifier> ReadClassifier(const Config& config);

/// The activation alone, of a model that has `labels` of them.
absl::StatusOr<ScoreActivation> ReadScoreActivation(const Config& config, std::size_t labels);

}  // namespace hub
