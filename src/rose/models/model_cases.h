#pragma once

// For tests: the model suite's cases (cases.json, expected.safetensors) and what they ask for.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "common/json.h"
#include "rose/core/batch.h"
#include "rose/core/model_input.h"
#include "rose/weights/weight_file.h"

namespace rose {

/// The suite's folder `name`: the copy beside the tests, else the shared suite's.
inline std::filesystem::path ModelCasesPath(const std::string& name) {
  const std::filesystem::path own = std::filesystem::path(PARTERRE_TEST_DATA) / "models" / name;
  return std::filesystem::exists(own)
             ? own
             : std::filesystem::path(PARTERRE_SHARED_CASES) / "models" / name;
}

/// The suite's folders whose families are served, by task.
inline constexpr const char* kEmbeddingFolders[] = {
    "bert-mean",  "bert-cls",   "bert-xlmr-tokenizer", "roberta", "xlm-roberta",     "mpnet",
    "distilbert", "modernbert", "nomic-bert",          "jina-v3", "qwen3-embedding", "pplx-embed"};
inline constexpr const char* kScoreFolders[] = {"bert-reranker",        "roberta-classification",
                                                "xlm-roberta-reranker", "modernbert-reranker",
                                                "qwen3-reranker",       "qwen3-reranker-seqcls"};

struct ModelCases {
  struct Input {
    std::string name;
    std::vector<int32_t> ids;
    int32_t prompt_tokens = 0;             ///< That pooling leaves out, where the folder says so.
    std::vector<float> pooled;             ///< [dimension], before Normalize.
    std::vector<float> embedding;          ///< [dimension], as the folder's modules leave it.
    std::vector<float> last_hidden_state;  ///< [tokens × hidden], or empty: not recorded.
  };
  /// A pair or a text of a classifier.
  struct Scored {
    std::string name;
    std::vector<int32_t> ids;
    std::vector<int32_t> type_ids;  ///< Or empty: all 0.
    std::vector<float> logits;
  };
  /// What bge-m3's other heads make of an input.
  struct MultiVector {
    const Input* input = nullptr;
    std::map<int32_t, float> lexical;
    std::vector<float> colbert;
  };
  /// What the folder asks of one dtype.
  struct Tolerance {
    double min_cosine = 0;
    double median_cosine = 0;
    double max_abs = 0;
    double last_hidden_state_max_abs = 0;
    double max_abs_logit = 0;
  };

  std::vector<Input> inputs;
  std::vector<Scored> scored;
  std::vector<MultiVector> multi_vectors;
  std::vector<std::vector<const Input*>> batches;
  Tolerance float32, bfloat16;

  const Tolerance& tolerance(DType dtype) const {
    return dtype == DType::kBFloat16 ? bfloat16 : float32;
  }
  /// Tokens of the longest.
  int longest() const {
    std::size_t most = 0;
    for (const Input& input : inputs) most = std::max(most, input.ids.size());
    for (const Scored& one : scored) most = std::max(most, one.ids.size());
    return static_cast<int>(most);
  }
};

inline ModelCases::Tolerance ReadTolerance(const nlohmann::json& json) {
  // Only float32 bounds the hidden states; bfloat16 bounds the median of the cosines; logits alone
  // stand alone.
  const double min_cosine = json.value("min_cosine", 0.0);
  return {.min_cosine = min_cosine,
          .median_cosine = json.value("median_cosine", min_cosine),
          .max_abs = json.value("max_abs", 0.0),
          .last_hidden_state_max_abs = json.value("last_hidden_state_max_abs", INFINITY),
          .max_abs_logit = json.value("max_abs_logit", 0.0)};
}

using ExpectedTensors = std::map<std::string, std::vector<float>>;

inline ExpectedTensors ReadExpected(const std::filesystem::path& path) {
  ExpectedTensors expected;
  const WeightFile file = WeightFile::Open(path).value();
  for (const StoredTensor& tensor : file.tensors) {
    if (tensor.dtype != "F32") continue;
    std::vector<float>& values = expected[tensor.name];
    values.resize(tensor.bytes.size() / sizeof(float));
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  }
  return expected;
}

inline void ReadInputs(const nlohmann::json& json, ExpectedTensors& expected, ModelCases& cases) {
  for (const auto& input : json.at("inputs")) {
    const auto& outputs = input.at("outputs");
    cases.inputs.push_back({.name = input.at("name"),
                            .ids = input.at("input_ids"),
                            .prompt_tokens = input.value("prompt_tokens_left_out_of_pooling", 0),
                            .pooled = expected.at(outputs.at("pooled")),
                            .embedding = expected.at(outputs.at("embedding")),
                            .last_hidden_state = expected[outputs.value("last_hidden_state", "")]});
  }
  const auto find = [&](const std::string& name) -> const ModelCases::Input* {
    return &*std::find_if(cases.inputs.begin(), cases.inputs.end(),
                          [&](const auto& input) { return input.name == name; });
  };
  for (const auto& batch : json.at("batches")) {
    auto& inputs = cases.batches.emplace_back();
    for (const std::string name : batch.at("inputs")) inputs.push_back(find(name));
  }
  if (!json.contains("heads")) return;
  for (const auto& head : json.at("heads").at("inputs")) {
    ModelCases::MultiVector& vectors = cases.multi_vectors.emplace_back();
    vectors.input = find(head.at("input"));
    vectors.colbert = expected.at(head.at("colbert"));
    for (const auto& [id, weight] : head.at("lexical").items()) {
      vectors.lexical[std::stoi(id)] = weight;
    }
  }
}

/// Reads a folder of the suite; a malformed one fails the test by throwing.
inline ModelCases ReadModelCases(const std::filesystem::path& folder) {
  const nlohmann::json json = common::ReadJsonFile(folder / "cases.json").value();
  ModelCases cases;
  cases.float32 = ReadTolerance(json.at("tolerance").at("fp32"));
  cases.bfloat16 = ReadTolerance(json.at("tolerance").at("bf16"));
  if (json.contains("inputs")) {
    ExpectedTensors expected = ReadExpected(folder / json.at("expected_file"));
    ReadInputs(json, expected, cases);
  }
  for (const auto& pair : json.value("pairs", nlohmann::json::array())) {
    cases.scored.push_back({.name = pair.at("name"),
                            .ids = pair.at("input_ids"),
                            .type_ids = pair.value("token_type_ids", std::vector<int32_t>()),
                            .logits = {pair.at("logit").get<float>()}});
  }
  for (const auto& text : json.value("classify", nlohmann::json::array())) {
    cases.scored.push_back({.name = text.at("name"),
                            .ids = text.at("input_ids"),
                            .type_ids = {},
                            .logits = text.at("logits")});
  }
  return cases;
}

/// Sequences side by side, owned.
struct PackedSequences {
  std::vector<int32_t> ids, position_ids, type_ids;
  std::vector<int32_t> cu_seqlens = {0};
  std::vector<int32_t> prompt_lengths;
  std::vector<uint8_t> normalize;

  /// `types` empty: all 0.
  void Add(std::span<const int32_t> sequence, bool normalized,
           std::span<const int32_t> types = {}) {
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      position_ids.push_back(static_cast<int32_t>(i));
    }
    type_ids.insert(type_ids.end(), types.begin(), types.end());
    type_ids.resize(ids.size());
    cu_seqlens.push_back(static_cast<int32_t>(ids.size()));
    prompt_lengths.push_back(0);
    normalize.push_back(normalized ? 1 : 0);
  }
  void Add(const ModelCases::Input& input, bool normalized) {
    Add(input.ids, normalized);
    prompt_lengths.back() = input.prompt_tokens;
  }
  ModelInput input() const {
    return {.ids = ids,
            .position_ids = position_ids,
            .type_ids = type_ids,
            .prompt_lengths = prompt_lengths,
            .normalize = normalize,
            .shape = BatchShape::OfHost(cu_seqlens)};
  }
  Batch batch(hub::Outputs outputs = hub::Output::kDense) const {
    return {.ids = ids,
            .type_ids = type_ids,
            .cu_seqlens = cu_seqlens,
            .prompt_lengths = prompt_lengths,
            .normalize = normalize,
            .outputs = outputs};
  }
};

/// The name of a test over a folder: "bert_mean".
inline std::string FolderTestName(std::string folder) {
  std::replace(folder.begin(), folder.end(), '-', '_');
  return folder;
}
/// … and over a dtype: "bert_mean_float32".
inline std::string FolderTestName(std::string folder, DType dtype) {
  return FolderTestName(std::move(folder)) + "_" + DTypeName(dtype);
}

inline double Cosine(std::span<const float> a, std::span<const float> b) {
  double dot = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    dot += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return dot / std::sqrt(aa * bb);
}

/// Largest difference; NaN counts as infinite.
inline double MaxAbs(std::span<const float> a, std::span<const float> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(double{a[i]} - b[i]);
    largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
  }
  return largest;
}

/// Holds outputs of one dtype against the expected ones.
class Comparison {
 public:
  Comparison(const ModelCases& cases, DType dtype)
      : tolerance_(cases.tolerance(dtype)), bounds_pooled_(dtype == DType::kFloat32) {}

  /// The suite bounds single values of unit vectors, and of pooled ones in float32 only.
  void Embedding(const ModelCases::Input& input, std::span<const float> got) {
    Check(input.name, got, input.embedding, tolerance_.max_abs);
  }
  void Pooled(const ModelCases::Input& input, std::span<const float> got) {
    Check(input.name, got, input.pooled, bounds_pooled_ ? tolerance_.max_abs : INFINITY);
  }
  /// The one or the other, as the row was asked for.
  void Vector(const ModelCases::Input& input, bool normalized, std::span<const float> got) {
    normalized ? Embedding(input, got) : Pooled(input, got);
  }
  void LastHiddenState(const ModelCases::Input& input, std::span<const float> got) {
    Check(input.name, got, input.last_hidden_state, tolerance_.last_hidden_state_max_abs);
  }
  /// Of all the cosines so far.
  void Median() {
    ASSERT_FALSE(cosines_.empty());
    std::sort(cosines_.begin(), cosines_.end());
    EXPECT_GE(cosines_[cosines_.size() / 2], tolerance_.median_cosine);
  }

 private:
  void Check(const std::string& name, std::span<const float> got, std::span<const float> expected,
             double max_abs) {
    ASSERT_EQ(got.size(), expected.size()) << name;
    cosines_.push_back(Cosine(got, expected));
    EXPECT_GE(cosines_.back(), tolerance_.min_cosine) << name;
    EXPECT_LE(MaxAbs(got, expected), max_abs) << name;
  }

  const ModelCases::Tolerance& tolerance_;
  bool bounds_pooled_;
  std::vector<double> cosines_;
};

}  // namespace rose
