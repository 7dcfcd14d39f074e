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
  bool normed = false;
  std::optional<Activation> activation = std::nullopt;
  bool bias = false;
  bool squares_out = false;

  SmallProductShape Shape(int64_t tokens) const {
    return {.form = form,
            .normed = normed,
            .tokens = tokens,
            .out_features = out_features,
            .in_features = in_features};
  }
  int64_t out_cols() const {
    return form == SmallProductForm::kGate ? out_features / 2 : out_features;
  }
};

/// A model's layer, in the order in which its products run.
struct SmallProductLayer {
  const char* name;
  int layers;
  SmallProductCase products[4];
};

constexpr SmallProductLayer PreNormLayer(const char* name, int layers, int64_t width,
                                         int64_t qkv_cols, int64_t heads_cols, int64_t inner) {
  using enum SmallProductForm;
  return {name,
          layers,
          {{.name = "qkv",
            .form = kLinear,
            .out_features = qkv_cols,
            .in_features = width,
            .normed = true},
           {.name = "o",
            .form = kResidual,
            .out_features = width,
            .in_features = heads_cols,
            .squares_out = true},
           {.name = "gate-up",
            .form = kGate,
            .out_features = 2 * inner,
            .in_features = width,
            .normed = true,
            .activation = Activation::kSilu},
           {.name = "down",
            .form = kResidual,
            .out_features = width,
            .in_features = inner,
            .squares_out = true}}};
}

constexpr SmallProductLayer PostNormLayer(const char* name, int layers, int64_t width,
                                          int64_t inner) {
  using enum SmallProductForm;
  return {
      name,
      layers,
      {{.name = "qkv",
        .form = kLinear,
        .out_features = 3 * width,
        .in_features = width,
        .bias = true},
       {.name = "o", .form = kResidual, .out_features = width, .in_features = width, .bias = true},
       {.name = "up",
        .form = kLinear,
        .out_features = inner,
        .in_features = width,
        .activation = Activation::kGelu,
        .bias = true},
       {.name = "down",
        .form = kResidual,
        .out_features = width,
        .in_features = inner,
        .bias = true}}};
}

inline constexpr SmallProductLayer kSmallProductLayers[] = {
    PreNormLayer("Qwen3-0.6B", 28, 1024, 4096, 2048, 3072),
    PostNormLayer("XLM-R-large", 24, 1024, 4096),
    PostNormLayer("BERT-base", 12, 768, 3072),
    PostNormLayer("MiniLM-L6", 6, 384, 1536),
};

}  // namespace rose::kernels
