#pragma once

#include <cstdint>
#include <optional>

#include "rose/kernels/small_product.h"

// The products of real models, for tests and measurements.

namespace rose::kernels {

struct SmallProductCase {
  const char* name;
  SmallProductForm form;
  int64_t out_features;  ///< Rows of the weight.
  int64_t in_features;
  SmallProductNorm norm = SmallProductNorm::kNone;
  std::optional<Activation> activation = std::nullopt;
  bool bias = false;
  SmallProductNorm next_norm = SmallProductNorm::kNone;  ///< kResidual: whose sums it leaves.

  SmallProductShape Shape(int64_t tokens) const {
    return {.form = form,
            .norm = norm,
            .tokens = tokens,
            .out_features = out_features,
            .in_features = in_features};
  }
  bool of_residual() const { return form == SmallProductForm::kResidual; }
  int64_t out_cols() const {
    return form == SmallProductForm::kGate ? out_features / 2 : out_features;
  }
  /// Columns of the rows that go through the norm.
  int64_t norm_cols() const { return of_residual() ? out_features : in_features; }
};

/// A model's layers and the products of each, in the order in which they run.
struct SmallProductLayers {
  const char* name;
  int layers;
  SmallProductCase products[4];
};

struct SmallProductWidths {
  int64_t width, qkv, heads, inner;
};

/// Blocks that end as they began, the norm of their input deferred to their products.
constexpr SmallProductLayers PreNormLayers(const char* name, int layers,
                                           const SmallProductWidths& of, SmallProductNorm norm,
                                           Activation activation) {
  using enum SmallProductForm;
  return {name,
          layers,
          {{"qkv", kLinear, of.qkv, of.width, norm},
           {"o", kResidual, of.width, of.heads, SmallProductNorm::kNone, {}, false, norm},
           {"gate-up", kGate, 2 * of.inner, of.width, norm, activation},
           {"down", kResidual, of.width, of.inner, SmallProductNorm::kNone, {}, false, norm}}};
}

/// Blocks that end in a norm: each its own kernel, or deferred to the products that read it.
constexpr SmallProductLayers PostNormLayers(const char* name, int layers, int64_t width,
                                            int64_t inner, SmallProductNorm deferred) {
  using enum SmallProductForm;
  return {name,
          layers,
          {{"qkv", kLinear, 3 * width, width, deferred, {}, true},
           {"o", kResidual, width, width, deferred, {}, true, deferred},
           {"up", kLinear, inner, width, deferred, Activation::kGelu, true},
           {"down", kResidual, width, inner, deferred, {}, true, deferred}}};
}

inline constexpr SmallProductLayers kSmallProductLayers[] = {
    PreNormLayers("Qwen3-0.6B", 28, {1024, 4096, 2048, 3072}, SmallProductNorm::kRms,
                  Activation::kSilu),
    PostNormLayers("XLM-R-large", 24, 1024, 4096, SmallProductNorm::kNone),
    PostNormLayers("XLM-R-large, norms deferred", 24, 1024, 4096, SmallProductNorm::kLayer),
    PostNormLayers("BERT-base", 12, 768, 3072, SmallProductNorm::kNone),
    PostNormLayers("BERT-base, norms deferred", 12, 768, 3072, SmallProductNorm::kLayer),
    PostNormLayers("MiniLM-L6", 6, 384, 1536, SmallProductNorm::kNone),
    PostNormLayers("MiniLM-L6, norms deferred", 6, 384, 1536, SmallProductNorm::kLayer),
    PreNormLayers("ModernBERT-base", 22, {768, 2304, 768, 1152}, SmallProductNorm::kLayer,
                  Activation::kGelu),
};

}  // namespace rose::kernels
