#include "tulip/model_info.h"

#include <fmt/format.h>

#include <vector>

namespace tulip {
namespace {

std::string PoolingText(const hub::Pooling& pooling) {
  std::vector<std::string_view> names;
  for (const hub::PoolingMode mode : pooling.modes) names.push_back(hub::PoolingModeName(mode));
  return fmt::format("{}", fmt::join(names, "+"));
}

}  // namespace

wire::ModelInfo DescribeReplica(const rose::EngineInfo& engine, const hub::ModelFolder& folder,
                                const std::string& served_name) {
  return {.name = served_name,
          .family = engine.family,
          .dtype = engine.dtype,
          .device = engine.device,
          .pooling = PoolingText(folder.pooling),
          .fingerprint = folder.fingerprint,
          .dimension = static_cast<int32_t>(engine.dimension),
          .max_length = folder.max_length,
          .vocabulary_size = static_cast<int32_t>(engine.vocabulary_size),
          .type_vocabulary_size = static_cast<int32_t>(engine.type_vocabulary_size),
          .max_batch_tokens = engine.step_tokens_max,
          .saturation_tokens = engine.saturation_tokens,
          .batch_curve = engine.batch_curve,
          .memory_bytes = engine.memory_bytes};
}

}  // namespace tulip
