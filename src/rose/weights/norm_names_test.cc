#include "rose/weights/norm_names.h"

#include <gtest/gtest.h>

namespace rose {
namespace {

TEST(BelongsToNorm, TheNamesOfAllFamilies) {
  for (const char* name :
       {"embeddings.LayerNorm.weight", "encoder.layer.0.attention.output.LayerNorm.bias",
        "lm_head.layer_norm.weight", "transformer.layer.0.sa_layer_norm.weight",
        "layers.3.attn_norm.weight", "final_norm.weight", "layers.0.input_layernorm.weight",
        "layers.0.self_attn.q_norm.weight", "norm.weight", "encoder.layers.0.norm1.bias",
        "emb_ln.weight", "h.0.ln_1.weight", "ln_f.bias", "ln.gamma"}) {
    EXPECT_TRUE(BelongsToNorm(name)) << name;
  }
}

TEST(BelongsToNorm, OthersDoNot) {
  for (const char* name : {"dense.weight", "LayerNorm.dense.weight", "norm", "mlp.kiln.weight",
                           "ln_f.dense.bias", "lnx.weight", "layers.0.vln.weight", ""}) {
    EXPECT_FALSE(BelongsToNorm(name)) << name;
  }
}

}  // namespace
}  // namespace rose
