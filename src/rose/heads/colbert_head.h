#pragma once

#include <cstdint>
#include <vector>

#include "rose/heads/dense_module.h"
#include "rose/heads/head.h"

namespace rose {

/// Output::kColbert: a vector of unit length for each token. Khattab and Zaharia, ColBERT, 2020.
class ColbertHead final : public Head {
 public:
  /// At least one module; their weights have the activations' dtype.
  ColbertHead(std::vector<DenseModule> modules, int64_t tokens_left_out);

  OutputShape shape() const override;
  void Run(Ops& ops, const ModelInput& input, Tensor hidden, Tensor out) const override;

 private:
  std::vector<DenseModule> modules_;
  int64_t tokens_left_out_;
};

}  // namespace rose
