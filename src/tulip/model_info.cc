#include "tulip/model_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "common/check.h"

namespace tulip {
namespace {

/// Each value of `field` once, in the order of the engines.
std::string Join(std::span<const wire::ModelInfo> engines, std::string wire::ModelInfo::*field) {
  std::vector<std::string> values;
  for (const wire::ModelInfo& engine : engines) {
    if (std::ranges::find(values, engine.*field) == values.end()) {
      values.push_back(engine.*field);
    }
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace

wire::ModelInfo DescribeEngine(const rose::EngineInfo& engine, const std::string& served_name) {
  const auto columns = [&](hub::Output output) {
    return static_cast<int32_t>(engine.outputs[output].columns);
  };
  hub::Outputs outputs;
  for (const hub::Output output : hub::kAllOutputs) {
    if (columns(output) > 0) outputs |= output;
  }
  return {.name = served_name,
          .family = engine.family,
          .dtype = engine.dtype,
          .device = engine.device,
          .pooling = engine.pooling,
          .fingerprint = engine.fingerprint,
          .outputs = outputs,
          .dimension = columns(hub::Output::kDense),
          .labels = columns(hub::Output::kScores),
          .hidden_size = columns(hub::Output::kTokens),
          .colbert_dimension = columns(hub::Output::kColbert),
          .max_length = static_cast<int32_t>(engine.max_length),
          .vocabulary_size = static_cast<int32_t>(engine.vocabulary_size),
          .type_vocabulary_size = static_cast<int32_t>(engine.type_vocabulary_size),
          .max_batch_tokens = engine.step_tokens_max,
          .saturation_tokens = engine.saturation_tokens,
          .batch_curve = engine.batch_curve,
          .memory_bytes = engine.memory_bytes};
}

wire::ModelInfo DescribeModel(std::span<const wire::ModelInfo> engines) {
  CHECK(!engines.empty());
  wire::ModelInfo model = engines.front();
  model.device = Join(engines, &wire::ModelInfo::device);
  model.dtype = Join(engines, &wire::ModelInfo::dtype);
  for (const wire::ModelInfo& other : engines.subspan(1)) {
    model.memory_bytes += other.memory_bytes;
    model.engines += other.engines;
  }
  return model;
}

}  // namespace tulip
