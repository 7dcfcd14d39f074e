#include "rose/runtime/cuda/loaded_model.h"

#include <fmt/format.h>

#include "rose/core/attention_method.h"
#include "rose/runtime/load.h"

namespace rose {
namespace {

absl::StatusOr<cuda::Device> OpenDevice(const EngineOptions& options) {
  if (options.device == "auto") return cuda::OpenFirstDevice();
  ASSIGN_OR_RETURN(const int index, cuda::ParseDevice(options.device));
  return cuda::OpenDevice(index);
}

}  // namespace

absl::StatusOr<LoadedModel> LoadedModel::Load(const hub::ModelFolder& folder,
                                              const EngineOptions& options) {
  LoadedModel loaded;
  ASSIGN_OR_RETURN(const auto attention, ParseAttention(options.attention));
  ASSIGN_OR_RETURN(loaded.device, OpenDevice(options));
  const cuda::Device& device = loaded.device;
  ASSIGN_OR_RETURN(const DType dtype,
                   ChooseDType(options.dtype, /*native_bfloat16=*/true, device.name));
  ASSIGN_OR_RETURN(loaded.backend, cuda::CudaBackend::Create(dtype));
  ASSIGN_OR_RETURN(loaded.model, LoadModel(folder, options, *loaded.backend));
  RETURN_IF_ERROR(loaded.backend->Finish());
  EngineInfo& info = loaded.info;
  info = DescribeModel(folder, options, *loaded.model);
  info.device = device.flag();
  info.dtype = DTypeName(dtype);
  info.isa = fmt::format("{}, compute capability {}.{}", device.name,
                         device.compute_capability / 10, device.compute_capability % 10);
  ASSIGN_OR_RETURN(
      loaded.pass,
      CudaPass::Create(*loaded.model,
                       {.device = device,
                        .dtype = dtype,
                        .limits = {.tokens = TokenBucket(info.step_tokens_max),
                                   .sequences = SequenceBucket(info.step_sequences_max)},
                        .attention = attention,
                        .tuning = options.tuning,
                        .poison_scratch = options.poison_scratch}));
  return loaded;
}

}  // namespace rose
