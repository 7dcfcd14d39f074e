#pragma once

#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"

namespace rose::kernels {

/// A table and the rows of it that are wanted: ids [rows of the output], each below table.rows.
struct Lookup {
  Tensor table = {};  ///< Null: nothing is looked up.
  const int32_t* ids = nullptr;
};

/// Embed: out = words[ids], or += where `add`. Rows of padding become zeros.
cudaError_t Embed(const Launch& launch, const Lookup& words, bool add, Tensor out);

/// EmbedNorm: out = norm(words[…] + positions[…] + types[…]), summed and normed in float32. Rows of
/// padding become zeros.
cudaError_t EmbedNorm(const Launch& launch, const Lookup& words, const Lookup& positions,
                      const Lookup& types, const NormParams& norm, Tensor out);

}  // namespace rose::kernels
