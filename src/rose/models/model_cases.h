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
#include "rose/models/model.h"
#include "rose/weights/safetensors.h"

namespace rose {

/// The suite's folder `name`: the copy beside the tests, else the shared suite's.
inline std::filesystem::path ModelCasesPath(const std::string& name) {
  const std::filesystem::path own = std::filesystem::path(PARTERRE_TEST_DATA) / "models" / name;
  return std::filesystem::exists(own)
             ? own
             : std::filesystem::path(PARTERRE_SHARED_CASES) / "models" / name;
}

struct ModelCases {
  struct Input {
    std::string name;
    std::vector<int32_t> ids;
    std::vector<float> pooled;             ///< [dimension], before Normalize.
    std::vector<float> embedding;          ///< [dimension], as the folder's modules leave it.
    std::vector<float> last_hidden_state;  ///< [tokens × hidden], or empty: not recorded.
  };
  /// What the folder asks of one dtype.
  struct Tolerance {
    double min_cosine = 0;
    double median_cosine = 0;
    double max_abs = 0;
    double last_hidden_state_max_abs = 0;
  };

  std::vector<Input> inputs;
  std::vector<std::vector<const Input*>> batches;
  Tolerance float32, bfloat16;

  const Tolerance& tolerance(DType dtype) const {
    return dtype == DType::kBFloat16 ? bfloat16 : float32;
  }
};

inline ModelCases::Tolerance ReadTolerance(const nlohmann::json& json) {
  // Only float32 bounds the hidden states; bfloat16 bounds the median of the cosines.
  return {.min_cosine = json.at("min_cosine"),
          .median_cosine = json.value("median_cosine", json.at("min_cosine").get<double>()),
          .max_abs = json.at("max_abs"),
          .last_hidden_state_max_abs = json.value("last_hidden_state_max_abs", INFINITY)};
}

/// Reads a folder of the suite; a malformed one fails the test by throwing.
inline ModelCases ReadModelCases(const std::filesystem::path& folder) {
  const nlohmann::json json = common::ReadJsonFile(folder / "cases.json").value();
  const Safetensors file = Safetensors::Open(folder / json.at("expected_file")).value();
  std::map<std::string, std::vector<float>> expected;
  for (const StoredTensor& tensor : file.tensors()) {
    if (tensor.dtype != "F32") continue;
    std::vector<float>& values = expected[tensor.name];
    values.resize(tensor.bytes.size() / sizeof(float));
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  }
  ModelCases cases;
  for (const auto& input : json.at("inputs")) {
    const auto& outputs = input.at("outputs");
    cases.inputs.push_back({.name = input.at("name"),
                            .ids = input.at("input_ids"),
                            .pooled = expected.at(outputs.at("pooled")),
                            .embedding = expected.at(outputs.at("embedding")),
                            .last_hidden_state = expected[outputs.value("last_hidden_state", "")]});
  }
  for (const auto& batch : json.at("batches")) {
    auto& inputs = cases.batches.emplace_back();
    for (const std::string name : batch.at("inputs")) {
      inputs.push_back(&*std::find_if(cases.inputs.begin(), cases.inputs.end(),
                                      [&](const auto& input) { return input.name == name; }));
    }
  }
  cases.float32 = ReadTolerance(json.at("tolerance").at("fp32"));
  cases.bfloat16 = ReadTolerance(json.at("tolerance").at("bf16"));
  return cases;
}

/// Sequences side by side, owned.
struct PackedSequences {
  std::vector<int32_t> ids, position_ids, type_ids;
  std::vector<int32_t> cu_seqlens = {0};
  std::vector<uint8_t> normalize;

  void Add(std::span<const int32_t> sequence, bool normalized) {
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      position_ids.push_back(static_cast<int32_t>(i));
    }
    type_ids.resize(ids.size());
    cu_seqlens.push_back(static_cast<int32_t>(ids.size()));
    normalize.push_back(normalized ? 1 : 0);
  }
  ModelInput input() const {
    return {.ids = ids,
            .position_ids = position_ids,
            .type_ids = type_ids,
            .normalize = normalize,
            .shape = {.cu_seqlens = cu_seqlens}};
  }
  Batch batch() const {
    return {.ids = ids,
            .type_ids = {},
            .cu_seqlens = cu_seqlens,
            .prompt_lengths = {},
            .normalize = normalize};
  }
};

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
