#pragma once

#include <cstdint>
#include <optional>

#include "common/status.h"
#include "hub/config.h"

namespace hub {

/// The sizes that config.json gives under whatever names its family has for them; of a model that
/// takes more than text, those of the text part. What it does not give is absent.
struct ModelShape {
  std::optional<int64_t> layers;
  std::optional<int64_t> hidden_size;
  std::optional<int64_t> heads;
  std::optional<int64_t> vocabulary_size;  ///< Rows of the embedding table; may exceed the tokens.
};

/// Refuses heads that do not divide what they share: the hidden size by the heads (unless head_dim
/// stands on its own), the heads by num_key_value_heads; and more than 1024 layers. Errors name the
/// file and the key.
absl::StatusOr<ModelShape> ReadModelShape(const Config& config);

}  // namespace hub
