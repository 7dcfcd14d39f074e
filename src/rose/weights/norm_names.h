#pragma once

#include <string_view>

namespace rose {

/// Whether a tensor's name is that of a norm's weight or bias, by its module's name:
/// "….LayerNorm.weight", "layers.0.input_layernorm.weight", "norm1.bias", "emb_ln.weight".
bool BelongsToNorm(std::string_view name);

}  // namespace rose
