#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "rose/core/bfloat16.h"
#include "rose/kernels/norm.h"
#include "rose/kernels/small_product.h"
#include "rose/kernels/small_product_cases.h"

// All products of a model's forward pass one after the other, each reading what the one before it
// wrote, for tests of launches that overlap and for measurements.

namespace rose::kernels {

/// Device memory of one tensor.
class OwnedTensor {
 public:
  OwnedTensor(int64_t rows, int64_t cols, DType dtype) : tensor_{nullptr, dtype, rows, cols} {
    if (cudaMalloc(&tensor_.data, static_cast<std::size_t>(tensor_.bytes())) != cudaSuccess) {
      tensor_ = {};
    }
  }
  ~OwnedTensor() { cudaFree(tensor_.data); }
  OwnedTensor(OwnedTensor&& other) noexcept : tensor_(other.tensor_) { other.tensor_ = {}; }
  OwnedTensor& operator=(OwnedTensor&&) = delete;

  Tensor tensor() const { return tensor_; }

  template <typename Element>
  void Put(const std::vector<Element>& values) {
    cudaMemcpy(tensor_.data, values.data(), values.size() * sizeof(Element),
               cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();  // A test's stream waits for no copy.
  }
  void CopyFrom(const OwnedTensor& other) {
    cudaMemcpy(tensor_.data, other.tensor_.data, static_cast<std::size_t>(tensor_.bytes()),
               cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
  }

 private:
  Tensor tensor_;
};

/// The weights of all layers are copies of one layer's, each in memory of its own.
class SmallProductChain {
 public:
  SmallProductChain(const SmallProductLayers& model, int layers, int64_t tokens)
      : model_(model),
        width_(model.products[0].in_features),
        start_(Random(tokens, width_, 1)),
        x_(tokens, width_, DType::kBFloat16),
        wide_(tokens, model.products[0].out_features, DType::kBFloat16),
        inner_(tokens, model.products[3].in_features, DType::kBFloat16),
        norm_weight_(1, width_, DType::kFloat32),
        norm_bias_(1, width_, DType::kFloat32),
        sums_{OwnedTensor(tokens, width_ / kPanelRows * 2, DType::kFloat32),
              OwnedTensor(tokens, width_ / kPanelRows * 2, DType::kFloat32)} {
    norm_weight_.Put(Floats(width_, 1, 0.1f));
    norm_bias_.Put(Floats(width_, 0, 0.1f));
    for (int j = 0; j < 4; ++j) AddWeights(model.products[j], layers);
  }

  int layers() const { return static_cast<int>(weights_[0].size()); }
  const SmallProductCase& product(int j) const { return model_.products[j]; }
  Tensor x() const { return x_.tensor(); }
  /// Row-major, for other implementations: one layer's.
  Tensor weight(int j) const { return row_major_[j].tensor(); }
  const void* packed(int layer, int j) const { return weights_[j][layer].tensor().data; }

  /// x = the start again.
  cudaError_t Reset(cudaStream_t stream) const {
    return cudaMemcpyAsync(x_.tensor().data, start_.tensor().data,
                           static_cast<std::size_t>(x_.tensor().bytes()), cudaMemcpyDeviceToDevice,
                           stream);
  }

  /// The forward pass; the first kernel waits for all before it.
  cudaError_t Run(const Launch& launch, const SmallProductPlan (&plans)[4]) const {
    Launch first = launch;
    first.overlap = false;
    cudaError_t error = PreNorm() ? RowSums(first, Norm(), x(), Sums(0)) : cudaSuccess;
    for (int layer = 0; layer < layers() && error == cudaSuccess; ++layer) {
      for (int j = 0; j < 4 && error == cudaSuccess; ++j) {
        const bool begins = layer == 0 && j == 0 && !PreNorm();
        error = RunProduct(begins ? first : launch, plans[j], layer, j);
        if (error == cudaSuccess && j % 2 == 1 && Norm() == SmallProductNorm::kNone) {
          error = kernels::Norm(launch, Params(NormKind::kLayer), x(), x());
        }
      }
    }
    return error;
  }

  /// Product j of a layer alone.
  cudaError_t RunProduct(const Launch& launch, const SmallProductPlan& plan, int layer,
                         int j) const {
    // What the embeddings give a post-norm block has gone through its norm.
    const bool normed_already = layer == 0 && j < 2 && !PreNorm();
    SmallProductCase product = model_.products[j];
    if (normed_already) product.norm = SmallProductNorm::kNone;
    return SmallProduct(launch, plan, packed(layer, j), Input(j), Epilogue(product, j),
                        j % 2 == 1 ? x() : (j == 0 ? wide_ : inner_).tensor());
  }

 private:
  SmallProductNorm Norm() const { return model_.products[2].norm; }
  bool PreNorm() const { return !model_.products[0].bias; }

  std::vector<float> Floats(int64_t n, float mean, float deviation) {
    std::normal_distribution<float> normal(mean, deviation);
    std::vector<float> values(static_cast<std::size_t>(n));
    for (float& value : values) value = normal(engine_);
    return values;
  }
  OwnedTensor Random(int64_t rows, int64_t cols, float deviation) {
    std::vector<BFloat16> values;
    for (const float value : Floats(rows * cols, 0, deviation)) {
      values.push_back(BFloat16::FromFloat(value));
    }
    OwnedTensor buffer(rows, cols, DType::kBFloat16);
    buffer.Put(values);
    return buffer;
  }

  void AddWeights(const SmallProductCase& product, int layers) {
    const int64_t rows = product.out_features, cols = product.in_features;
    row_major_.push_back(Random(rows, cols, 0.02f));
    bias_.push_back(Random(1, rows, 0.02f));
    weight_sums_.emplace_back(1, rows, DType::kFloat32);
    folded_bias_.emplace_back(1, rows, DType::kFloat32);
    if (product.norm == SmallProductNorm::kLayer && !product.of_residual()) {
      FoldLayerNorm({}, Params(NormKind::kLayer), row_major_.back().tensor(),
                    product.bias ? bias_.back().tensor() : Tensor{}, weight_sums_.back().tensor(),
                    folded_bias_.back().tensor());
    }
    std::vector<OwnedTensor>& packed = weights_.emplace_back();
    for (int layer = 0; layer < layers; ++layer) {
      packed.emplace_back(rows, cols, DType::kBFloat16);
      if (layer > 0) packed[layer].CopyFrom(packed[0]);
      if (layer > 0) continue;
      PackSmallProduct({}, row_major_.back().tensor(), product.form == SmallProductForm::kGate,
                       packed[0].tensor().data);
    }
    cudaDeviceSynchronize();
  }

  NormParams Params(NormKind kind) const {
    NormParams norm = {.kind = kind, .weight = norm_weight_.tensor(), .epsilon = 1e-6f};
    if (kind == NormKind::kLayer) norm.bias = norm_bias_.tensor();
    return norm;
  }

  /// Sums of x as it is before (0) and after (1) the middle of a block.
  Tensor Sums(int at) const {
    Tensor sums = sums_[at].tensor();
    sums.cols = RowSumsCols(Norm(), width_);
    return sums;
  }

  /// Of o, in place of what attention would give: as much of what qkv wrote.
  Tensor Input(int j) const {
    if (j % 2 == 0) return x();
    if (j == 3) return inner_.tensor();
    Tensor heads = wide_.tensor();
    heads.cols = model_.products[1].in_features;
    return heads;
  }

  SmallProductEpilogue Epilogue(const SmallProductCase& product, int j) const {
    SmallProductEpilogue epilogue = {.form = product.form, .activation = product.activation};
    if (product.bias) epilogue.bias = bias_[j].tensor();
    if (product.norm != SmallProductNorm::kNone) {
      const bool rms = product.norm == SmallProductNorm::kRms;
      epilogue.norm = Params(rms ? NormKind::kRms : NormKind::kLayer);
      epilogue.row_sums = Sums(j / 2);
      if (!rms && !product.of_residual()) {
        epilogue.bias = folded_bias_[j].tensor();
        epilogue.weight_sums = weight_sums_[j].tensor();
      }
    }
    if (product.of_residual()) epilogue.residual = x();
    if (product.next_norm != SmallProductNorm::kNone) epilogue.row_sums_out = Sums(1 - j / 2);
    return epilogue;
  }

  SmallProductLayers model_;
  std::minstd_rand engine_{20261130};
  int64_t width_;
  OwnedTensor start_, x_, wide_, inner_, norm_weight_, norm_bias_, sums_[2];
  std::vector<OwnedTensor> row_major_, bias_, weight_sums_, folded_bias_;
  std::vector<std::vector<OwnedTensor>> weights_;  ///< [product][layer], packed.
};

}  // namespace rose::kernels
