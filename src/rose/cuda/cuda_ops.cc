#include "rose/cuda/cuda_ops.h"

#include <utility>

#include "rose/cuda/status.h"
#include "rose/kernels/activate.h"
#include "rose/kernels/embed.h"
#include "rose/kernels/head_norm_rope.h"
#include "rose/kernels/norm.h"
#include "rose/kernels/pool.h"

namespace rose::cuda {
namespace {

kernels::Lookup LookUp(Tensor table, std::span<const int32_t> ids) {
  return {.table = table, .ids = ids.data()};
}

}  // namespace

CudaOps::CudaOps(const CudaContext& context, DType dtype, Arena& arena, int64_t tokens,
                 const int32_t* tokens_used)
    : context_(context), dtype_(dtype), arena_(arena), tokens_(tokens), tokens_used_(tokens_used) {}

kernels::Launch CudaOps::launch(int64_t rows) const {
  // A step has at least as many tokens as sequences, so where both have as many rows, the used ones
  // of either are among the first tokens_used.
  return {.stream = context_.stream.get(),
          .rows_used = rows == tokens_ ? tokens_used_ : nullptr,
          .overlap = context_.overlap};
}

kernels::Launch CudaOps::FirstLaunch(int64_t rows) const {
  kernels::Launch first = launch(rows);
  first.overlap = false;
  return first;
}

void CudaOps::Keep(cudaError_t error, std::string_view what) { Keep(ToStatus(error, what)); }

void CudaOps::Keep(absl::Status status) {
  if (ok() && !status.ok()) status_ = std::move(status);
}

bool CudaOps::Reads(Tensor x) {
  if (ok() && put_off_ && put_off_->out.data == x.data) {
    const PutOff late = *std::exchange(put_off_, std::nullopt);
    Keep(kernels::Norm(launch(late.x.rows), late.norm, late.x, late.out), "Norm");
  }
  if (ok() && raw_heads_ && raw_heads_->qkv.data == x.data) {
    const RawHeads raw = *std::exchange(raw_heads_, std::nullopt);
    Keep(kernels::HeadNormRope(launch(x.rows), raw.params, raw.qkv), "HeadNormRope");
  }
  return ok();
}

void CudaOps::Embed(Tensor table, std::span<const int32_t> ids, Tensor out, bool add) {
  if (ok()) Keep(kernels::Embed(FirstLaunch(out.rows), LookUp(table, ids), add, out), "Embed");
}

void CudaOps::Add(Tensor x, Tensor y, Tensor out) {
  if (Reads(x) && Reads(y)) Keep(kernels::Add(launch(out.rows), x, y, out), "Add");
}

void CudaOps::Norm(const NormParams& norm, Tensor x, Tensor out) {
  if (Reads(x)) Keep(kernels::Norm(launch(x.rows), norm, x, out), "Norm");
}

void CudaOps::HeadNorm(const NormParams& norm, int64_t column, int64_t heads, Tensor x) {
  if (Reads(x)) Keep(kernels::HeadNorm(launch(x.rows), norm, column, heads, x), "HeadNorm");
}

void CudaOps::Rope(const RopeParams& rope, std::span<const int32_t> position_ids, int64_t heads,
                   Tensor x) {
  if (Reads(x)) Keep(kernels::Rope(launch(x.rows), rope, position_ids.data(), heads, x), "Rope");
}

void CudaOps::Activate(Activation activation, Tensor x) {
  if (Reads(x)) Keep(kernels::Activate(launch(x.rows), activation, /*bias=*/{}, x), "Activate");
}

void CudaOps::Gate(Activation activation, Tensor x, Tensor out) {
  if (Reads(x)) Keep(kernels::Gate(launch(x.rows), activation, x, out), "Gate");
}

void CudaOps::Attention(const AttentionParams& params, Tensor qkv, const BatchShape& shape,
                        Tensor out) {
  HeadNormRopeParams heads;
  if (raw_heads_ && raw_heads_->qkv.data == qkv.data) heads = raw_heads_->params;
  const int32_t* const cu_seqlens = shape.cu_seqlens.data();
  if (ok() && context_.attention.TakesHeads(params, heads, qkv.dtype)) {
    raw_heads_.reset();
    return Keep(context_.attention.RunShort(launch(qkv.rows), params, heads, cu_seqlens, qkv, out));
  }
  if (Reads(qkv)) Keep(context_.attention.Run(launch(qkv.rows), params, cu_seqlens, qkv, out));
}

void CudaOps::Pool(PoolingMode mode, Tensor x, const BatchShape& shape,
                   std::span<const int32_t> skip, int64_t column, Tensor out) {
  if (!Reads(x)) return;
  Keep(kernels::Pool(launch(x.rows), mode, x, shape.cu_seqlens.data(), skip.data(), column, out),
       "Pool");
}

void CudaOps::Normalize(std::span<const uint8_t> flags, Tensor x) {
  if (Reads(x)) Keep(kernels::Normalize(launch(x.rows), flags.data(), x), "Normalize");
}

void CudaOps::Widen(Tensor x, Tensor out) {
  if (Reads(x)) Keep(kernels::Widen(launch(x.rows), x, out), "Widen");
}

void CudaOps::EmbedNorm(Tensor words, std::span<const int32_t> ids, Tensor positions,
                        std::span<const int32_t> position_ids, Tensor types,
                        std::span<const int32_t> type_ids, const NormParams& norm, Tensor out) {
  if (!ok()) return;
  Keep(kernels::EmbedNorm(FirstLaunch(out.rows), LookUp(words, ids),
                          LookUp(positions, position_ids), LookUp(types, type_ids), norm, out),
       "EmbedNorm");
}

void CudaOps::AddNorm(const NormParams& norm, Tensor x, Tensor residual, Tensor out) {
  if (Reads(x) && Reads(residual))
    Keep(kernels::AddNorm(launch(x.rows), norm, x, residual, out), "AddNorm");
}

void CudaOps::ResidualNorm(const NormParams& norm, Tensor y, Tensor x, Tensor out) {
  if (Reads(y) && Reads(x))
    Keep(kernels::ResidualNorm(launch(x.rows), norm, y, x, out), "ResidualNorm");
}

void CudaOps::HeadNormRope(const HeadNormRopeParams& params, Tensor qkv) {
  if (!Reads(qkv)) return;
  raw_heads_ = RawHeads{.params = params, .qkv = qkv};  // Attention may do this itself.
}

void CudaOps::PoolNormalize(PoolingMode mode, Tensor x, const BatchShape& shape,
                            std::span<const int32_t> skip, std::span<const uint8_t> flags,
                            Tensor out) {
  if (!Reads(x)) return;
  Keep(kernels::PoolNormalize(launch(x.rows), mode, x, shape.cu_seqlens.data(), skip.data(),
                              flags.data(), out),
       "PoolNormalize");
}

}  // namespace rose::cuda
