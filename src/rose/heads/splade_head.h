#pragma once

#include "hub/splade.h"
#include "rose/heads/head.h"
#include "rose/layers/linear.h"
#include "rose/layers/norm.h"

namespace rose {

/// Output::kSparse of a masked language model: a weight for each word of the vocabulary, the
/// largest (or the sum) over the tokens of log(1 + relu(logit)). Formal et al., SPLADE v2, 2021.
struct SpladeHead final : Head {
  hub::Splade splade;
  Linear transform;
  Activation activation = Activation::kGelu;
  Norm norm;
  Linear decoder;  ///< hidden → vocabulary.

  OutputShape shape() const override { return {.columns = decoder.out_features()}; }
  void Run(Ops& ops, const ModelInput& input, Tensor hidden, Tensor out) const override;
};

}  // namespace rose
