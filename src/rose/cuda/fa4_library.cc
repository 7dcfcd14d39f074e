#include "rose/cuda/fa4_library.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "rose/cuda/shared_library.h"
#include "rose/cuda/status.h"

namespace rose::cuda {
namespace {

constexpr const char* kVariable = "PARTERRE_FA4_LIBRARY";
constexpr const char* kFileName = "libparterre_fa4.so";

/// Empty if there is none.
std::string FindBesideProgram() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path file = program.parent_path() / kFileName;
  return std::filesystem::exists(file, error) ? file.string() : "";
}

std::string Choose(const std::string& path) {
  if (!path.empty()) return path;
  const char* const named = std::getenv(kVariable);
  return named != nullptr && *named != '\0' ? named : FindBesideProgram();
}

kernels::Fa4Kind KindOf(const AttentionParams& params, kernels::Fa4Tile tile) {
  return {.head_dim = params.head_dim,
          .heads = params.heads,
          .kv_heads = params.key_value_heads(),
          .causal = params.mask == AttentionMask::kCausal ? 1 : 0,
          .tile = tile};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Fa4Library>> Fa4Library::Find(const std::string& path) {
  std::string chosen = Choose(path);
  if (chosen.empty()) return nullptr;
  std::unique_ptr<Fa4Library> library(new Fa4Library(std::move(chosen)));
  if (const absl::Status status = library->Open(); !status.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("FlashAttention 4 is not used: {}", std::string(status.message())));
  }
  return library;
}

absl::Status Fa4Library::Open() {
  ASSIGN_OR_RETURN(const SharedLibrary library, SharedLibrary::Open({&path_, 1}));
  decltype(&kernels::parterre_fa4_version) version = nullptr;
  RETURN_IF_ERROR(library.Bind("parterre_fa4_version", version));
  if (version() != kernels::kFa4PluginVersion) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: its interface is version {}, this program's {}: run scripts/build_fa4.sh again", path_,
        version(), kernels::kFa4PluginVersion));
  }
  RETURN_IF_ERROR(library.Bind("parterre_fa4_supports", supports_));
  RETURN_IF_ERROR(library.Bind("parterre_fa4_load", load_));
  return library.Bind("parterre_fa4_attention", attention_);
}

bool Fa4Library::Supports(const AttentionParams& params, DType dtype, kernels::Fa4Tile tile) const {
  if (dtype != DType::kBFloat16 || params.window != 0 || params.position_bias.data != nullptr ||
      params.paged_keys != nullptr) {
    return false;
  }
  const kernels::Fa4Kind kind = KindOf(params, tile);
  return supports_(&kind) != 0;
}

absl::Status Fa4Library::Load(int device) const {
  return ToStatus(load_(device), fmt::format("{}: loading on cuda:{}", path_, device));
}

cudaError_t Fa4Library::Attention(const kernels::Launch& launch, kernels::Fa4Tile tile,
                                  const AttentionParams& params, int64_t sequences,
                                  const int32_t* cu_seqlens, Tensor qkv, Tensor out) const {
  const auto* const q = static_cast<const std::byte*>(qkv.data);
  const int64_t head_bytes = params.head_dim * static_cast<int64_t>(SizeOf(qkv.dtype));
  const std::byte* const k = q + params.heads * head_bytes;
  const kernels::Fa4Attention attention = {.kind = KindOf(params, tile),
                                           .tokens = static_cast<int32_t>(qkv.rows),
                                           .sequences = static_cast<int32_t>(sequences),
                                           .scale = params.scale,
                                           .q = q,
                                           .k = k,
                                           .v = k + params.key_value_heads() * head_bytes,
                                           .o = out.data,
                                           .qkv_stride = qkv.cols,
                                           .o_stride = out.cols,
                                           .cu_seqlens = cu_seqlens,
                                           .stream = launch.stream};
  return attention_(&attention);
}

}  // namespace rose::cuda
