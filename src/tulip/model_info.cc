#include "tulip/model_info.h"

namespace tulip {

wire::ModelInfo DescribeReplica(const rose::EngineInfo& engine, const std::string& served_name) {
  return {.name = served_name,
          .family = engine.family,
          .dtype = engine.dtype,
          .device = engine.device,
          .pooling = engine.pooling,
          .fingerprint = engine.fingerprint,
          .dimension = static_cast<int32_t>(engine.dimension),
          .max_length = static_cast<int32_t>(engine.max_length),
          .vocabulary_size = static_cast<int32_t>(engine.vocabulary_size),
          .type_vocabulary_size = static_cast<int32_t>(engine.type_vocabulary_size),
          .max_batch_tokens = engine.step_tokens_max,
          .saturation_tokens = engine.saturation_tokens,
          .batch_curve = engine.batch_curve,
          .memory_bytes = engine.memory_bytes};
}

}  // namespace tulip
