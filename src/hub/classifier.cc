#include "hub/classifier.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <utility>

#include "hub/activation.h"

namespace hub {
namespace {

constexpr int64_t kLabelsMax = 1 << 20;

absl::StatusOr<std::vector<std::string>> ReadLabels(const Config& config) {
  constexpr int64_t kTransformersDefault = 2;
  using LabelMap = std::map<std::string, std::string>;
  ASSIGN_OR_RETURN(LabelMap id2label, config.StringMap("id2label"));
  const auto named = static_cast<int64_t>(id2label.size());
  const int64_t fallback = named > 0 ? named : kTransformersDefault;
  ASSIGN_OR_RETURN(const int64_t count, config.Int("num_labels", fallback));
  if (count < 1 || count > kLabelsMax) {
    return config.Error("num_labels", fmt::format("expected 1 … {}, got {}", kLabelsMax, count));
  }
  if (named > 0 && named != count) {
    return config.Error("num_labels",
                        fmt::format("expected the {} labels of id2label, got {}", named, count));
  }
  std::vector<std::string> labels;
  for (int64_t i = 0; i < count; ++i) {
    const auto label = id2label.find(std::to_string(i));
    if (named > 0 && label == id2label.end()) {
      return config.Error("id2label",
                          fmt::format("expected the ids 0 … {}, {} is missing", count - 1, i));
    }
    labels.push_back(named > 0 ? std::move(label->second) : fmt::format("LABEL_{}", i));
  }
  return labels;
}

absl::StatusOr<ScoreActivation> ParseScoreActivation(const Config& config, std::string_view key) {
  ASSIGN_OR_RETURN(const std::string python_path, config.String(key));
  const absl::StatusOr<Activation> activation = ParseActivation(python_path);
  if (activation.ok() && *activation == Activation::kIdentity) return ScoreActivation::kIdentity;
  if (activation.ok() && *activation == Activation::kSigmoid) return ScoreActivation::kSigmoid;
  return config.Error(
      key, fmt::format("unknown activation \"{}\", expected Sigmoid or Identity", python_path));
}

}  // namespace

const char* ScoreActivationName(ScoreActivation activation) {
  switch (activation) {
    case ScoreActivation::kIdentity:
      return "identity";
    case ScoreActivation::kSigmoid:
      return "sigmoid";
    case ScoreActivation::kSoftmax:
      return "softmax";
  }
  return "unknown";
}

absl::StatusOr<ScoreActivation> ReadScoreActivation(const Config& config, std::size_t labels) {
  constexpr std::string_view kObject = "sentence_transformers";
  constexpr std::string_view kKey = "activation_fn";
  constexpr std::string_view kOlderKey = "sbert_ce_default_activation_function";
  if (config.Has(kObject)) {
    ASSIGN_OR_RETURN(const Config object, config.Object(kObject));
    if (object.Has(kKey)) return ParseScoreActivation(object, kKey);
  }
  if (config.Has(kOlderKey)) return ParseScoreActivation(config, kOlderKey);
  return labels == 1 ? ScoreActivation::kSigmoid : ScoreActivation::kSoftmax;
}

absl::StatusOr<Classifier> ReadClassifier(const Config& config) {
  Classifier classifier;
  ASSIGN_OR_RETURN(classifier.labels, ReadLabels(config));
  ASSIGN_OR_RETURN(classifier.activation, ReadScoreActivation(config, classifier.labels.size()));
  return classifier;
}

}  // namespace hub
