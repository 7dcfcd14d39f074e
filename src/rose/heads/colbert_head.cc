#include "rose/heads/colbert_head.h"

#include <utility>

#include "common/check.h"

namespace rose {

ColbertHead::ColbertHead(std::vector<DenseModule> modules, int64_t tokens_left_out)
    : modules_(std::move(modules)), tokens_left_out_(tokens_left_out) {
  CHECK(!modules_.empty());
}

OutputShape ColbertHead::shape() const {
  return {.columns = modules_.back().linear.out_features(),
          .per_token = true,
          .tokens_left_out = tokens_left_out_};
}

void ColbertHead::Run(Ops& ops, const ModelInput&, Tensor hidden, Tensor out) const {
  ScratchScope scope(ops);
  Tensor x = hidden;
  for (const DenseModule& module : modules_) {
    const Tensor y = ops.Scratch(x.rows, module.linear.out_features());
    module(ops, x, y);
    x = y;
  }
  ops.Widen(x, out);
  ops.Normalize(/*flags=*/{}, out);
}

}  // namespace rose
