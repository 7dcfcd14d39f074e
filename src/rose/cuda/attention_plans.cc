#include "rose/cuda/attention_plans.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "rose/cuda/status.h"

namespace rose::cuda {
namespace {

using kernels::AttentionBackend;
using kernels::Fa4Tile;

/// Whether one plan serves both.
bool SamePlan(const AttentionParams& a, const AttentionParams& b) {
  return a.heads == b.heads && a.key_value_heads() == b.key_value_heads() &&
         a.head_dim == b.head_dim && a.mask == b.mask;
}

std::string CapabilityName(int compute_capability) {
  return fmt::format("compute capability {}.{}", compute_capability / 10, compute_capability % 10);
}

absl::Status CannotCompute(AttentionMethod method, const AttentionParams& params, DType dtype,
                           const Device& device) {
  return absl::InvalidArgumentError(fmt::format(
      "--attention {}: cannot compute this model's attention on a device of {}: heads of {} "
      "columns in {}{}{}",
      AttentionMethodName(method), CapabilityName(device.compute_capability), params.head_dim,
      DTypeName(dtype), params.window > 0 ? ", a window" : "",
      params.position_bias.data != nullptr ? ", a position bias" : ""));
}

absl::Status CannotUse(AttentionMethod method, const absl::Status& why) {
  return absl::InvalidArgumentError(
      fmt::format("--attention {}: {}", AttentionMethodName(method), std::string(why.message())));
}

/// Nothing: it is none of these.
std::optional<AttentionBackend> BackendOf(AttentionMethod method) {
  switch (method) {
    case AttentionMethod::kSimple:
      return AttentionBackend::kSimple;
    case AttentionMethod::kFa2:
      return AttentionBackend::kFa2;
    case AttentionMethod::kFa3:
      return AttentionBackend::kFa3;
    case AttentionMethod::kFa4:
    case AttentionMethod::kCudnn:
    case AttentionMethod::kShort:
      break;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::unique_ptr<AttentionPlans>> AttentionPlans::Create(const Options& options) {
  std::unique_ptr<AttentionPlans> plans(new AttentionPlans(options));
  const auto forces = [&](AttentionMethod method) { return options.forced == method; };
  const int sm = options.device.compute_capability;
  if (forces(AttentionMethod::kFa4) && sm != 90) {
    return CannotUse(
        AttentionMethod::kFa4,
        absl::UnimplementedError(fmt::format(
            "it is for compute capability 9.0, the device is of {}", CapabilityName(sm))));
  }
  if (sm == 90) {
    const absl::Status fa4 = plans->OpenFa4();
    if (forces(AttentionMethod::kFa4) && !fa4.ok()) return CannotUse(AttentionMethod::kFa4, fa4);
    if (!fa4.ok() && !absl::IsNotFound(fa4)) {
      spdlog::warn("no FlashAttention 4: {}", std::string(fa4.message()));
    }
  }
  if (forces(AttentionMethod::kCudnn)) {
    absl::StatusOr<std::unique_ptr<CudnnAttention>> cudnn = CudnnAttention::Create(options.largest);
    if (!cudnn.ok()) return CannotUse(AttentionMethod::kCudnn, cudnn.status());
    plans->cudnn_ = *std::move(cudnn);
  }
  return plans;
}

absl::Status AttentionPlans::OpenFa4() {
  ASSIGN_OR_RETURN(std::unique_ptr<Fa4Library> found, Fa4Library::Find());
  if (found == nullptr) {
    return absl::NotFoundError("the plug-in is not there (scripts/build_fa4.sh)");
  }
  RETURN_IF_ERROR(found->Load(options_.device.index));
  fa4_ = std::move(found);
  return absl::OkStatus();
}

void AttentionPlans::BeginStep(const kernels::AttentionShape& shape) {
  shape_ = shape;
  for (Plan& plan : plans_) plan.planned = false;
  if (cudnn_ != nullptr) cudnn_->BeginStep(shape);
}

bool AttentionPlans::TakesHeads(const AttentionParams& params, const HeadNormRopeParams& heads,
                                DType dtype) const {
  const int sm = options_.device.compute_capability;
  if (options_.forced) {
    return options_.forced == AttentionMethod::kShort &&
           kernels::SupportsShortAttention(params, heads, dtype, sm);
  }
  return kernels::PrefersShortAttention(params, heads, dtype, shape_, sm);
}

absl::Status AttentionPlans::RunShort(const kernels::Launch& launch, const AttentionParams& params,
                                      const HeadNormRopeParams& heads, const int32_t* cu_seqlens,
                                      Tensor qkv, Tensor out) const {
  return ToStatus(kernels::ShortAttention(launch, params, heads, shape_, cu_seqlens, qkv, out),
                  "attention of few tokens");
}

std::optional<Fa4Tile> AttentionPlans::ChooseFa4(const AttentionParams& params, DType dtype) const {
  // Where it was fastest on an H200: one sequence, with small tiles up to 512 tokens, with its own
  // ones for thousands (docs/kernels/attention_cuda.md). Slots without a sequence would cost time.
  constexpr int64_t kShortest = 33, kNarrowMax = 768, kLongMin = 2048;
  if (fa4_ == nullptr) return std::nullopt;
  const bool forced = options_.forced == AttentionMethod::kFa4;
  if (options_.forced && !forced) return std::nullopt;
  const bool narrow = shape_.longest <= kNarrowMax;
  if (!forced && (shape_.sequences != 1 || shape_.longest < kShortest ||
                  (!narrow && shape_.longest < kLongMin))) {
    return std::nullopt;
  }
  const Fa4Tile tile = narrow ? Fa4Tile::kRows64 : Fa4Tile::kStock;
  return fa4_->Supports(params, dtype, tile) ? std::optional(tile) : std::nullopt;
}

absl::StatusOr<AttentionBackend> AttentionPlans::ChooseBackend(const AttentionParams& params,
                                                               DType dtype) const {
  const int sm = options_.device.compute_capability;
  if (!options_.forced) return kernels::ChooseAttention(params, dtype, shape_, sm);
  const std::optional<AttentionBackend> forced = BackendOf(*options_.forced);
  if (!forced || !kernels::Supports(*forced, params, dtype, sm)) {
    return CannotCompute(*options_.forced, params, dtype, options_.device);
  }
  if (!kernels::Fits(*forced, params, options_.largest)) {
    return absl::InvalidArgumentError(
        fmt::format("--attention {}: steps of {} tokens are too large for it, a smaller "
                    "--max-batch-tokens may do",
                    AttentionMethodName(*options_.forced), options_.largest.tokens));
  }
  return *forced;
}

absl::StatusOr<AttentionPlans::Plan*> AttentionPlans::Find(const AttentionParams& params,
                                                           AttentionBackend backend) {
  for (Plan& plan : plans_) {
    if (plan.backend == backend && SamePlan(plan.params, params)) return &plan;
  }
  const int64_t bytes = kernels::AttentionWorkspaceBytes(backend, params, options_.largest,
                                                         options_.device.multiprocessors);
  ASSIGN_OR_RETURN(DeviceMemory workspace, DeviceMemory::Allocate(bytes, "attention"));
  return &plans_.emplace_back(
      Plan{.params = params, .backend = backend, .workspace = std::move(workspace)});
}

absl::Status AttentionPlans::Run(const kernels::Launch& launch, const AttentionParams& params,
                                 const int32_t* cu_seqlens, Tensor qkv, Tensor out) {
  if (params.paged_keys != nullptr) {
    return absl::UnimplementedError("attention over keys in pages is declared, not built");
  }
  if (options_.forced == AttentionMethod::kCudnn) {
    if (!CudnnAttention::Supports(params, qkv.dtype, options_.largest)) {
      return CannotCompute(AttentionMethod::kCudnn, params, qkv.dtype, options_.device);
    }
    return cudnn_->Run(launch, params, cu_seqlens, qkv, out);
  }
  if (const std::optional<Fa4Tile> tile = ChooseFa4(params, qkv.dtype)) {
    return ToStatus(fa4_->Attention(launch, *tile, params, shape_.sequences, cu_seqlens, qkv, out),
                    "FlashAttention 4");
  }
  return RunPlanned(launch, params, cu_seqlens, qkv, out);
}

absl::Status AttentionPlans::RunPlanned(const kernels::Launch& launch,
                                        const AttentionParams& params, const int32_t* cu_seqlens,
                                        Tensor qkv, Tensor out) {
  ASSIGN_OR_RETURN(const AttentionBackend backend, ChooseBackend(params, qkv.dtype));
  ASSIGN_OR_RETURN(Plan * plan, Find(params, backend));
  if (!plan->planned) {
    RETURN_IF_CUDA_ERROR(
        kernels::PlanAttention(launch, backend, params, shape_, cu_seqlens,
                               options_.device.multiprocessors, plan->workspace.data()),
        "planning attention");
  }
  // A kernel that may start early must find its plan complete.
  kernels::Launch after_plan = launch;
  after_plan.overlap = launch.overlap && plan->planned;
  plan->planned = true;
  return ToStatus(kernels::Attention(after_plan, backend, params, shape_, cu_seqlens,
                                     plan->workspace.data(), qkv, out),
                  "attention");
}

}  // namespace rose::cuda
