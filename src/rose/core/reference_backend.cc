#include "rose/core/reference_backend.h"

#include "common/check.h"
#include "rose/core/element.h"

namespace rose {

Tensor ReferenceBackend::MakeTable(const RowSource& rows, DType dtype) {
  Tensor tensor{.dtype = dtype, .rows = rows.rows(), .cols = rows.cols()};
  blocks_.emplace_back(static_cast<std::size_t>(tensor.bytes()));
  tensor.data = blocks_.back().data();
  memory_bytes_ += tensor.bytes();
  rows.Read(0, tensor.rows, dtype, tensor.data);
  return tensor;
}

const LinearWeight* ReferenceBackend::MakeLinear(const RowSource& weight,
                                                 std::span<const float> bias, DType dtype) {
  auto linear = std::make_unique<ReferenceLinear>();
  linear->dtype = dtype;
  linear->out_features = weight.rows();
  linear->in_features = weight.cols();
  CHECK(bias.empty() || static_cast<int64_t>(bias.size()) == weight.rows());
  linear->bias.assign(bias.begin(), bias.end());
  linear->bias.resize(static_cast<std::size_t>(weight.rows()));
  linear->transposed.resize(static_cast<std::size_t>(weight.rows() * weight.cols()));
  std::vector<std::byte> row(static_cast<std::size_t>(weight.cols()) * SizeOf(dtype));
  const Tensor values{.data = row.data(), .dtype = dtype, .rows = 1, .cols = weight.cols()};
  for (int64_t o = 0; o < weight.rows(); ++o) {
    weight.Read(o, 1, dtype, values.data);
    for (int64_t i = 0; i < weight.cols(); ++i) {
      linear->transposed[i * weight.rows() + o] = GetElement(values, i);
    }
  }
  memory_bytes_ +=
      static_cast<int64_t>((linear->transposed.size() + linear->bias.size()) * sizeof(float));
  return linears_.emplace_back(std::move(linear)).get();
}

}  // namespace rose
