#include "rose/models/embedding_model.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "common/check.h"
#include "rose/core/arena_meter.h"
#include "rose/loading/loader.h"
#include "rose/models/families.h"

namespace rose {
namespace {

PoolingMode FromHub(hub::PoolingMode mode) {
  switch (mode) {
    case hub::PoolingMode::kCls:
      return PoolingMode::kCls;
    case hub::PoolingMode::kMax:
      return PoolingMode::kMax;
    case hub::PoolingMode::kMean:
      return PoolingMode::kMean;
    case hub::PoolingMode::kMeanSqrtLen:
      return PoolingMode::kMeanSqrtLen;
    case hub::PoolingMode::kWeightedMean:
      return PoolingMode::kWeightedMean;
    case hub::PoolingMode::kLastToken:
      return PoolingMode::kLastToken;
  }
  CHECK(false) << "pooling mode " << static_cast<int>(mode);
}

}  // namespace

absl::StatusOr<std::unique_ptr<EmbeddingModel>> EmbeddingModel::Load(const hub::ModelFolder& folder,
                                                                     Weights& weights,
                                                                     Backend& backend) {
  ASSIGN_OR_RETURN(const Family* family, FindFamily(folder.model_type));
  Loader loader(weights, backend);
  ASSIGN_OR_RETURN(std::unique_ptr<Encoder> encoder, family->load(folder.config, loader));
  RETURN_IF_ERROR(loader.Finish());
  if (folder.max_length > encoder->positions_max()) {
    return absl::InvalidArgumentError(fmt::format("{}: {} tokens exceed the model's {} positions",
                                                  folder.max_length_source, folder.max_length,
                                                  encoder->positions_max()));
  }
  return std::make_unique<EmbeddingModel>(std::move(encoder), folder.pooling);
}

EmbeddingModel::EmbeddingModel(std::unique_ptr<Encoder> encoder, const hub::Pooling& pooling)
    : encoder_(std::move(encoder)), include_prompt_(pooling.include_prompt) {
  CHECK(!pooling.modes.empty());
  for (hub::PoolingMode mode : pooling.modes) modes_.push_back(FromHub(mode));
}

void EmbeddingModel::Run(Ops& ops, const ModelInput& input, Tensor out) const {
  ScratchScope scope(ops);
  const Tensor hidden = encoder_->Forward(ops, input);
  const auto skip = include_prompt_ ? std::span<const int32_t>() : input.prompt_lengths;
  int64_t column = 0;
  for (PoolingMode mode : modes_) {
    ops.Pool(mode, hidden, input.shape, skip, column, out);
    column += hidden.cols;
  }
  ops.Normalize(input.normalize, out);
}

int64_t EmbeddingModel::ArenaBytes(DType dtype, int64_t tokens) const {
  const std::array<int32_t, 2> cu_seqlens = {0, static_cast<int32_t>(tokens)};
  ArenaMeter meter(dtype);
  Run(meter, {.shape = {.cu_seqlens = cu_seqlens}}, Tensor{});
  return meter.peak_bytes();
}

int64_t EmbeddingModel::dimension() const {
  return encoder_->hidden_size() * static_cast<int64_t>(modes_.size());
}

}  // namespace rose
