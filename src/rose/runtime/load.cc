#include "rose/runtime/load.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>

#include "rose/weights/weights.h"

namespace rose {
namespace {

std::string PoolingText(const hub::Pooling& pooling) {
  std::string text;
  for (const hub::PoolingMode mode : pooling.modes) {
    text += fmt::format("{}{}", text.empty() ? "" : "+", hub::PoolingModeName(mode));
  }
  return text;
}

}  // namespace

absl::StatusOr<DType> ChooseDType(std::string_view dtype, bool native_bfloat16,
                                  std::string_view isa) {
  if (dtype == "float32") return DType::kFloat32;
  if (dtype == "auto") return native_bfloat16 ? DType::kBFloat16 : DType::kFloat32;
  if (dtype != "bfloat16") {
    return absl::InvalidArgumentError(
        fmt::format("--dtype: expected auto, float32 or bfloat16, got \"{}\"", dtype));
  }
  if (native_bfloat16) return DType::kBFloat16;
  return absl::InvalidArgumentError(fmt::format(
      "--dtype: bfloat16 needs avx512_bf16 or amx, this processor (or --isa) allows {}; "
      "expected auto or float32",
      isa));
}

absl::StatusOr<std::unique_ptr<EmbeddingModel>> LoadModel(const hub::ModelFolder& folder,
                                                          const EngineOptions& options,
                                                          Backend& backend) {
  std::unique_ptr<Weights> weights;
  if (options.random_weights_seed) {
    weights = Weights::Random(*options.random_weights_seed);
  } else {
    ASSIGN_OR_RETURN(weights, Weights::Open(folder.weight_files));
  }
  ASSIGN_OR_RETURN(auto model, EmbeddingModel::Load(folder, *weights, backend));
  spdlog::info("loaded {}: {} in {}, {:.1f} MiB of weights{}", folder.name, folder.model_type,
               DTypeName(backend.dtype()), static_cast<double>(backend.memory_bytes()) / (1 << 20),
               options.random_weights_seed ? " (random)" : "");
  return model;
}

EngineInfo DescribeModel(const hub::ModelFolder& folder, const EngineOptions& options,
                         const EmbeddingModel& model) {
  EngineInfo info;
  info.family = folder.model_type;
  info.pooling = PoolingText(folder.pooling);
  info.fingerprint = folder.fingerprint;
  info.max_length = folder.max_length;
  info.dimension = model.dimension();
  info.vocabulary_size = model.encoder().vocabulary_size();
  info.type_vocabulary_size = model.encoder().type_vocabulary_size();
  info.step_tokens_max = std::max<int64_t>(options.max_batch_tokens, folder.max_length);
  info.saturation_tokens = options.max_batch_tokens;
  return info;
}

}  // namespace rose
