#include "rose/runtime/load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>

namespace rose {
namespace {

/// Memory of the rows of one step. A dense vector's rows stay below it; those as wide as a
/// vocabulary would not.
constexpr int64_t kRowBytesMax = int64_t{256} << 20;

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

absl::StatusOr<std::unique_ptr<Model>> LoadModel(const hub::ModelFolder& folder,
                                                 const EngineOptions& options, Backend& backend) {
  ASSIGN_OR_RETURN(auto model,
                   Model::Load(folder, {.random_seed = options.random_weights_seed}, backend));
  spdlog::info("loaded {}: {} in {}, {:.1f} MiB of weights{}", folder.name, folder.model_type,
               DTypeName(backend.dtype()), static_cast<double>(backend.memory_bytes()) / (1 << 20),
               options.random_weights_seed ? " (random)" : "");
  return model;
}

EngineInfo DescribeModel(const hub::ModelFolder& folder, const EngineOptions& options,
                         const Model& model) {
  EngineInfo info;
  info.family = folder.model_type;
  info.pooling = fmt::format("{}", fmt::join(hub::PoolingNames(folder.pooling), "+"));
  info.fingerprint = folder.fingerprint;
  info.max_length = folder.max_length;
  int64_t columns_max = 1;
  for (const hub::Output output : hub::kAllOutputs) {
    info.outputs[output] = model.shape(output);
    if (!model.shape(output).per_token) {
      columns_max = std::max(columns_max, model.shape(output).columns);
    }
  }
  info.vocabulary_size = model.encoder().vocabulary_size();
  info.type_vocabulary_size = model.encoder().type_vocabulary_size();
  info.step_tokens_max = std::max<int64_t>(options.max_batch_tokens, folder.max_length);
  if (folder.sparse_head) info.sparse_ids_left_out = folder.sparse_head->left_out_ids;
  info.step_sequences_max = std::clamp<int64_t>(
      kRowBytesMax / (columns_max * int64_t{sizeof(float)}), 1, info.step_tokens_max);
  info.saturation_tokens = options.max_batch_tokens;
  return info;
}

}  // namespace rose
