#pragma once

// For tests: the folders of tests/data/heads and what the libraries say of them.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "common/json.h"
#include "hub/outputs.h"
#include "rose/core/dtype.h"
#include "rose/models/model_cases.h"

namespace rose {

inline std::filesystem::path HeadCasesPath(const std::string& name) {
  return std::filesystem::path(PARTERRE_TEST_DATA) / "heads" / name;
}

/// The folders' names, sorted.
inline std::vector<std::string> HeadFolders() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(HeadCasesPath(""))) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct HeadCases {
  struct Input {
    std::string name;
    std::vector<int32_t> ids;
    std::vector<int32_t> type_ids;  ///< Or empty: all 0.
    int32_t prompt_tokens = 0;      ///< That pooling leaves out.
    /// [rows × columns] of this input alone; empty: not recorded.
    hub::PerOutput<std::vector<float>> expected;
  };

  std::vector<Input> inputs;
  std::vector<std::vector<const Input*>> batches;
  /// The most that a value may be away from the expected one.
  hub::PerOutput<double> float32, bfloat16;

  double limit(hub::Output output, DType dtype) const {
    return dtype == DType::kBFloat16 ? bfloat16[output] : float32[output];
  }
  int longest() const {
    std::size_t most = 0;
    for (const Input& input : inputs) most = std::max(most, input.ids.size());
    return static_cast<int>(most);
  }
};

/// Reads a folder's cases; malformed ones fail the test by throwing.
inline HeadCases ReadHeadCases(const std::filesystem::path& folder) {
  const nlohmann::json json = common::ReadJsonFile(folder / "cases.json").value();
  const ExpectedTensors expected = ReadExpected(folder / json.at("expected_file"));
  HeadCases cases;
  for (const auto& entry : json.at("inputs")) {
    HeadCases::Input input = {.name = entry.at("name"),
                              .ids = entry.at("input_ids"),
                              .type_ids = entry.value("token_type_ids", std::vector<int32_t>()),
                              .prompt_tokens = entry.value("prompt_tokens_left_out_of_pooling", 0),
                              .expected = {}};
    for (const hub::Output output : hub::kAllOutputs) {
      const auto found = expected.find(input.name + "/" + hub::OutputName(output));
      if (found != expected.end()) input.expected[output] = found->second;
    }
    cases.inputs.push_back(std::move(input));
  }
  for (const auto& names : json.at("batches")) {
    auto& batch = cases.batches.emplace_back();
    for (const std::string name : names) {
      batch.push_back(&*std::find_if(cases.inputs.begin(), cases.inputs.end(),
                                     [&](const auto& input) { return input.name == name; }));
    }
  }
  const auto& limits = json.at("limits");
  for (const hub::Output output : hub::kAllOutputs) {
    cases.float32[output] = limits.at("fp32").value(hub::OutputName(output), 0.0);
    cases.bfloat16[output] = limits.at("bf16").value(hub::OutputName(output), 0.0);
  }
  return cases;
}

inline PackedSequences Pack(std::span<const HeadCases::Input* const> inputs, bool normalize) {
  PackedSequences sequences;
  for (const HeadCases::Input* input : inputs) {
    sequences.Add(input->ids, normalize, input->type_ids);
    sequences.prompt_lengths.back() = input->prompt_tokens;
  }
  return sequences;
}

}  // namespace rose
