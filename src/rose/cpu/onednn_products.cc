#include "rose/cpu/onednn_products.h"

#include <array>
#include <utility>
#include <vector>

#include "common/check.h"
#include "dnnl.hpp"
#include "fmt/format.h"

namespace rose::cpu {
namespace {

using dnnl::matmul;
using dnnl::memory;

const dnnl::engine& CpuEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& ThreadStream() {
  thread_local dnnl::stream stream(CpuEngine());
  return stream;
}

memory::data_type TypeOf(DType dtype) {
  return dtype == DType::kBFloat16 ? memory::data_type::bf16 : memory::data_type::f32;
}

class Product final : public OneDnnProduct {
 public:
  /// Throws dnnl::error.
  Product(DType dtype, int64_t k, int64_t n)
      : dtype_(dtype), k_(k), n_(n), bias_desc_({1, n}, memory::data_type::f32, {n, 1}) {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    memory::desc weights({k, n}, TypeOf(dtype), memory::format_tag::any);
    for (std::size_t i = 0; i < std::size(kRows); ++i) {
      Rows& rows = rows_[i];
      rows.x = memory::desc({kRows[i], k}, TypeOf(dtype), {k, 1});
      rows.out = memory::desc({kRows[i], n}, TypeOf(dtype), {n, 1});
      const matmul::primitive_desc desc(matmul::desc(rows.x, weights, bias_desc_, rows.out),
                                        attributes, CpuEngine());
      // The layout that suits most rows serves all: there is one copy of the weights.
      if (i == 0) weights_desc_ = weights = desc.weights_desc();
      rows.scratchpad = desc.scratchpad_desc();
      rows.primitive = matmul(desc);
      workspace_bytes_ =
          std::max(workspace_bytes_, static_cast<int64_t>(rows.scratchpad.get_size()));
    }
  }

  Memory Pack(const RowSource& weight, int64_t row) const override {
    CHECK(weight.cols() == k_);
    std::vector<std::byte> rows(static_cast<std::size_t>(n_ * k_) * SizeOf(dtype_));
    weight.Read(row, n_, dtype_, rows.data());
    Memory packed(static_cast<int64_t>(weights_desc_.get_size()));
    // Wᵀ as a k × n matrix whose columns are contiguous.
    memory from(memory::desc({k_, n_}, TypeOf(dtype_), {1, k_}), CpuEngine(), rows.data());
    memory to(weights_desc_, CpuEngine(), packed.data());
    dnnl::reorder(from, to).execute(ThreadStream(), from, to);
    return packed;
  }

  void Run(std::size_t rows_index, const void* x, const Memory& packed, const float* bias,
           void* out, std::byte* workspace) const override {
    const Rows& rows = rows_[rows_index];
    const auto view = [](const memory::desc& desc, const void* data) {
      return memory(desc, CpuEngine(), const_cast<void*>(data));
    };
    rows.primitive.execute(ThreadStream(),
                           {{DNNL_ARG_SRC, view(rows.x, x)},
                            {DNNL_ARG_WEIGHTS, view(weights_desc_, packed.data())},
                            {DNNL_ARG_BIAS, view(bias_desc_, bias)},
                            {DNNL_ARG_DST, view(rows.out, out)},
                            {DNNL_ARG_SCRATCHPAD, view(rows.scratchpad, workspace)}});
  }

  int64_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  struct Rows {
    memory::desc x;
    memory::desc out;
    memory::desc scratchpad;
    matmul primitive;
  };

  DType dtype_;
  int64_t k_;
  int64_t n_;
  memory::desc bias_desc_;
  memory::desc weights_desc_;
  std::array<Rows, std::size(kRows)> rows_;
  int64_t workspace_bytes_ = 0;
};

dnnl::cpu_isa CapOf(Isa isa) {
  switch (isa) {
    case Isa::kAvx2:
      return dnnl::cpu_isa::avx2;
    case Isa::kAvx512:
      return dnnl::cpu_isa::avx512_core_vnni;
    case Isa::kAvx512Bf16:
      return dnnl::cpu_isa::avx512_core_bf16;
    case Isa::kAmx:
      return dnnl::cpu_isa::avx512_core_amx;
  }
  return dnnl::cpu_isa::all;
}

}  // namespace

const OneDnnProduct& OneDnnProducts::Get(DType dtype, int64_t k, int64_t n) {
  auto& product = products_[{dtype, k, n}];
  if (product == nullptr) {
    try {
      product = std::make_unique<Product>(dtype, k, n);
    } catch (const dnnl::error& error) {
      CHECK(false) << "oneDNN, product " << k << " x " << n << ": " << error.what();
    }
  }
  return *product;
}

absl::Status CheckOneDnn(Isa isa, DType dtype) {
  try {
    // Refused once oneDNN has run: then an earlier engine of this process has set it.
    static const dnnl::status first = dnnl::set_max_cpu_isa(CapOf(isa));
    static const Isa cap = isa;
    if (first != dnnl::status::success || cap != isa) {
      return absl::FailedPreconditionError(
          fmt::format("--isa {}: oneDNN already runs with {}", IsaName(isa), IsaName(cap)));
    }
    const Product trial(dtype, 64, 64);
    return absl::OkStatus();
  } catch (const dnnl::error& error) {
    return absl::FailedPreconditionError(
        fmt::format("oneDNN cannot multiply {}: {}", DTypeName(dtype), error.what()));
  }
}

}  // namespace rose::cpu
