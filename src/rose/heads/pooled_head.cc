#include "rose/heads/pooled_head.h"

#include <utility>

#include "common/check.h"

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

PooledHead::PooledHead(int64_t hidden_size, const hub::Pooling& pooling,
                       std::vector<DenseModule> modules)
    : pooled_size_(hidden_size * static_cast<int64_t>(pooling.modes.size())),
      include_prompt_(pooling.include_prompt),
      modules_(std::move(modules)) {
  CHECK(!pooling.modes.empty());
  for (hub::PoolingMode mode : pooling.modes) modes_.push_back(FromHub(mode));
}

OutputShape PooledHead::shape() const {
  return {.columns = modules_.empty() ? pooled_size_ : modules_.back().linear.out_features()};
}

void PooledHead::Run(Ops& ops, const ModelInput& input, Tensor hidden, Tensor out) const {
  const auto skip = include_prompt_ ? std::span<const int32_t>() : input.prompt_lengths;
  if (modes_.size() == 1 && modules_.empty()) {
    ops.PoolNormalize(modes_.front(), hidden, input.shape, skip, input.normalize, out);
    return;
  }
  ScratchScope scope(ops);
  const int64_t rows = input.shape.sequences();
  Tensor x = modules_.empty() ? out : ops.Scratch(rows, pooled_size_, DType::kFloat32);
  int64_t column = 0;
  for (PoolingMode mode : modes_) {
    ops.Pool(mode, hidden, input.shape, skip, column, x);
    column += hidden.cols;
  }
  for (const DenseModule& module : modules_) {
    const bool last = &module == &modules_.back();
    const Tensor y = last ? out : ops.Scratch(rows, module.linear.out_features(), DType::kFloat32);
    module(ops, x, y);
    x = y;
  }
  ops.Normalize(input.normalize, out);
}

}  // namespace rose
