#include "wire/grpc/info_message.h"

#include <fmt/format.h>

#include <string_view>

#include "proto/tulip/v1/tulip.pb.h"
#include "wire/grpc/enums.h"

namespace wire {
namespace {

absl::Status CheckAtLeast(int64_t least, int64_t value, std::string_view field) {
  if (value >= least) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: {}, expected at least {}", field, value, least));
}

/// Far more than one machine has; a gateway multiplies by it.
constexpr int32_t kEnginesMax = 1024;

absl::Status CheckEngines(int32_t engines) {
  if (engines >= 1 && engines <= kEnginesMax) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("engines: {}, expected 1 to {}", engines, kEnginesMax));
}

/// A size is above 0 exactly where the model gives the output.
absl::Status CheckSize(hub::Outputs outputs, hub::Output output, int32_t size,
                       std::string_view field) {
  return CheckAtLeast(outputs.Has(output) ? 1 : 0, size, field);
}

absl::Status CheckInfo(const ModelInfo& info) {
  using hub::Output;
  if (info.outputs.empty()) return absl::InvalidArgumentError("outputs: empty");
  RETURN_IF_ERROR(CheckSize(info.outputs, Output::kDense, info.dimension, "dimension"));
  RETURN_IF_ERROR(CheckSize(info.outputs, Output::kScores, info.labels, "labels"));
  RETURN_IF_ERROR(CheckSize(info.outputs, Output::kTokens, info.hidden_size, "hidden_size"));
  RETURN_IF_ERROR(
      CheckSize(info.outputs, Output::kColbert, info.colbert_dimension, "colbert_dimension"));
  RETURN_IF_ERROR(CheckAtLeast(1, info.max_length, "max_length"));
  RETURN_IF_ERROR(CheckAtLeast(1, info.vocabulary_size, "vocabulary_size"));
  RETURN_IF_ERROR(CheckAtLeast(1, info.type_vocabulary_size, "type_vocabulary_size"));
  RETURN_IF_ERROR(CheckAtLeast(1, info.max_batch_tokens, "max_batch_tokens"));
  RETURN_IF_ERROR(CheckAtLeast(1, info.saturation_tokens, "saturation_tokens"));
  RETURN_IF_ERROR(CheckAtLeast(0, info.memory_bytes, "memory_bytes"));
  return CheckEngines(info.engines);
}

}  // namespace

void FillInfo(const ModelInfo& info, tulip::v1::ModelInfo& message) {
  message.set_name(info.name);
  message.set_family(info.family);
  message.set_dtype(info.dtype);
  message.set_device(info.device);
  message.set_pooling(info.pooling);
  message.set_fingerprint(info.fingerprint);
  FillOutputs(info.outputs, *message.mutable_outputs());
  message.set_dimension(info.dimension);
  message.set_labels(info.labels);
  message.set_hidden_size(info.hidden_size);
  message.set_colbert_dimension(info.colbert_dimension);
  message.set_max_length(info.max_length);
  message.set_vocabulary_size(info.vocabulary_size);
  message.set_type_vocabulary_size(info.type_vocabulary_size);
  message.set_max_batch_tokens(info.max_batch_tokens);
  message.set_saturation_tokens(info.saturation_tokens);
  for (const auto& [tokens, step_us] : info.batch_curve) {
    tulip::v1::StepTime& point = *message.add_batch_curve();
    point.set_tokens(tokens);
    point.set_step_us(step_us);
  }
  message.set_memory_bytes(info.memory_bytes);
  message.set_engines(info.engines);
  message.set_schedule(info.schedule);
}

absl::StatusOr<ModelInfo> ReadInfo(const tulip::v1::ModelInfo& message) {
  ModelInfo info;
  info.name = message.name();
  info.family = message.family();
  info.dtype = message.dtype();
  info.device = message.device();
  info.pooling = message.pooling();
  info.fingerprint = message.fingerprint();
  ASSIGN_OR_RETURN(info.outputs, ReadOutputs(message.outputs(), "outputs"));
  info.dimension = message.dimension();
  info.labels = message.labels();
  info.hidden_size = message.hidden_size();
  info.colbert_dimension = message.colbert_dimension();
  info.max_length = message.max_length();
  info.vocabulary_size = message.vocabulary_size();
  info.type_vocabulary_size = message.type_vocabulary_size();
  info.max_batch_tokens = message.max_batch_tokens();
  info.saturation_tokens = message.saturation_tokens();
  for (const tulip::v1::StepTime& point : message.batch_curve()) {
    info.batch_curve.emplace_back(point.tokens(), point.step_us());
  }
  info.memory_bytes = message.memory_bytes();
  info.engines = message.engines();
  info.schedule = message.schedule();
  RETURN_IF_ERROR(CheckInfo(info));
  return info;
}

}  // namespace wire
