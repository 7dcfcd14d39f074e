#include "rose/models/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "rose/core/arena_meter.h"
#include "rose/heads/load_heads.h"
#include "rose/loading/loader.h"
#include "rose/models/families.h"

namespace rose {

absl::StatusOr<std::unique_ptr<Model>> Model::Load(const hub::ModelFolder& folder,
                                                   const WeightSource& source, Backend& backend) {
  ASSIGN_OR_RETURN(const Family* family, FindFamily(folder.model_type));
  ASSIGN_OR_RETURN(const std::unique_ptr<Weights> weights, source.Open(folder.weight_files));
  Loader loader(*weights, backend);
  ASSIGN_OR_RETURN(std::unique_ptr<Encoder> encoder, family->load(folder, loader));
  ASSIGN_OR_RETURN(auto heads, LoadHeads(folder, encoder->hidden_size(), source, loader));
  RETURN_IF_ERROR(loader.Finish());
  if (folder.max_length > encoder->positions_max()) {
    return absl::InvalidArgumentError(fmt::format("{}: {} tokens exceed the model's {} positions",
                                                  folder.max_length_source, folder.max_length,
                                                  encoder->positions_max()));
  }
  return std::make_unique<Model>(std::move(encoder), std::move(heads));
}

Model::Model(std::unique_ptr<Encoder> encoder, hub::PerOutput<std::unique_ptr<Head>> heads)
    : encoder_(std::move(encoder)), heads_(std::move(heads)) {}

void Model::Run(Ops& ops, const ModelInput& input, const hub::PerOutput<Tensor>& out) const {
  ScratchScope scope(ops);
  const Tensor hidden = encoder_->Forward(ops, input);
  for (const hub::Output output : hub::kAllOutputs) {
    if (out[output].cols > 0) heads_[output]->Run(ops, input, hidden, out[output]);
  }
}

int64_t Model::ArenaBytes(DType dtype, int64_t tokens) const {
  // One long sequence, and as many sequences as there can be: the most of each kind of row.
  const std::vector<int32_t> one = {0, static_cast<int32_t>(tokens)};
  std::vector<int32_t> many(static_cast<std::size_t>(tokens) + 1);
  std::iota(many.begin(), many.end(), 0);
  int64_t bytes = 0;
  for (const std::vector<int32_t>& cu_seqlens : {one, many}) {
    const BatchShape shape = BatchShape::OfHost(cu_seqlens);
    hub::PerOutput<Tensor> out;
    for (const hub::Output output : hub::kAllOutputs) {
      const OutputShape rows = this->shape(output);
      out[output] = {.dtype = DType::kFloat32,
                     .rows = rows.rows(shape.sequences(), tokens),
                     .cols = rows.columns};
    }
    ArenaMeter meter(dtype);
    Run(meter, {.shape = shape}, out);
    bytes = std::max(bytes, meter.peak_bytes());
  }
  return bytes;
}

hub::Outputs Model::outputs() const {
  hub::Outputs outputs;
  for (const hub::Output output : hub::kAllOutputs) {
    if (heads_[output] != nullptr) outputs |= output;
  }
  return outputs;
}

OutputShape Model::shape(hub::Output output) const {
  return heads_[output] == nullptr ? OutputShape{} : heads_[output]->shape();
}

}  // namespace rose
