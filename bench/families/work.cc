#include "bench/families/work.h"

#include <algorithm>
#include <memory>

#include "bench/kernels/attention_pairs.h"
#include "rose/core/arena_meter.h"
#include "rose/models/model.h"

namespace bench {
namespace {

using rose::AttentionMask;
using rose::AttentionParams;
using rose::DType;
using rose::RowSource;
using rose::Tensor;

/// Takes no weights, counts them.
class CountingBackend final : public rose::Backend {
 public:
  /// Other than float32, so that what a model computes itself can be told from its weights.
  DType dtype() const override { return DType::kBFloat16; }
  Tensor MakeTable(const RowSource& rows, DType dtype) override {
    const Tensor table{.dtype = dtype, .rows = rows.rows(), .cols = rows.cols()};
    const bool computed = dtype == DType::kFloat32 && table.rows > 1;  // Angles, position biases.
    if (!computed) parameters_ += table.elements();
    return table;
  }
  const rose::LinearWeight* MakeLinear(const RowSource& weight, std::span<const float> bias,
                                       DType dtype) override {
    auto linear = std::make_unique<Sizes>();
    linear->in_features = weight.cols();
    linear->out_features = weight.rows();
    linear->dtype = dtype;
    parameters_ += weight.rows() * weight.cols() + static_cast<int64_t>(bias.size());
    return linears_.emplace_back(std::move(linear)).get();
  }
  int64_t memory_bytes() const override { return 0; }
  int64_t parameters() const { return parameters_; }

 private:
  struct Sizes final : rose::LinearWeight {};

  int64_t parameters_ = 0;
  std::vector<std::unique_ptr<Sizes>> linears_;
};

/// Computes nothing, counts the FLOPs.
class WorkMeter final : public rose::ArenaMeter {
 public:
  explicit WorkMeter(DType dtype) : ArenaMeter(dtype) {}

  void Linear(const rose::LinearWeight& weight, Tensor x, Tensor) override {
    const int64_t k = weight.in_features, n = weight.out_features;
    work_.linear_flops += 2.0 * static_cast<double>(x.rows * k * n);
    const auto same = [&](const Product& product) { return product.k == k && product.n == n; };
    auto product = std::find_if(work_.products.begin(), work_.products.end(), same);
    if (product == work_.products.end()) {
      product = work_.products.insert(product, {.k = k, .n = n});
    }
    ++product->count;
  }
  void Attention(const AttentionParams& params, Tensor, const rose::BatchShape& shape,
                 Tensor) override {
    const int64_t flops_of_pair = int64_t{4} * params.heads * params.head_dim;
    for (std::size_t s = 0; s + 1 < shape.cu_seqlens.size(); ++s) {
      const int64_t pairs = AttentionPairs(params, shape.cu_seqlens[s + 1] - shape.cu_seqlens[s]);
      work_.attention_flops += static_cast<double>(flops_of_pair * pairs);
    }
  }
  const Work& work() const { return work_; }

 private:
  Work work_;
};

class ModelWorkCounter final : public WorkCounter {
 public:
  absl::Status Load(const hub::ModelFolder& folder) {
    ASSIGN_OR_RETURN(model_, rose::Model::Load(folder, {.random_seed = 0}, backend_));
    return absl::OkStatus();
  }

  Work Count(std::span<const int32_t> cu_seqlens) const override {
    const auto shape = rose::BatchShape::OfHost(cu_seqlens);
    hub::PerOutput<Tensor> out;
    out[hub::Output::kDense] = {.dtype = DType::kFloat32,
                                .rows = shape.sequences(),
                                .cols = model_->shape(hub::Output::kDense).columns};
    WorkMeter meter(backend_.dtype());
    model_->Run(meter, {.shape = shape}, out);
    Work work = meter.work();
    work.parameters = backend_.parameters();
    return work;
  }

 private:
  CountingBackend backend_;
  std::unique_ptr<rose::Model> model_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<WorkCounter>> WorkCounter::Create(const hub::ModelFolder& folder) {
  auto counter = std::make_unique<ModelWorkCounter>();
  RETURN_IF_ERROR(counter->Load(folder));
  return counter;
}

}  // namespace bench
