#include "bench/kernels/onednn_matmul.h"

#include <algorithm>
#include <vector>

#include "common/check.h"
#include "dnnl.hpp"
#include "fmt/format.h"
#include "rose/core/bfloat16.h"
#include "rose/cpu/memory.h"

namespace bench {
namespace {

using dnnl::matmul;
using dnnl::memory;
using rose::DType;
using rose::cpu::Isa;

constexpr int64_t kCacheLine = 64;

class Matmul final : public OneDnnMatmul {
 public:
  /// Of each part's columns.
  Matmul(DType dtype, int64_t rows, int64_t k, int64_t n, int64_t parts)
      : engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        flops_(2.0 * static_cast<double>(rows * k * n * parts)) {
    const auto type = dtype == DType::kBFloat16 ? memory::data_type::bf16 : memory::data_type::f32;
    const memory::desc x({rows, k}, type, {k, 1}), out({rows, n}, type, {n, 1});
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const matmul::primitive_desc desc(
        matmul::desc(x, memory::desc({k, n}, type, memory::format_tag::any), out), attributes,
        engine_);
    product_ = matmul(desc);
    x_ = Take(x, dtype);
    for (int64_t i = 0; i < parts; ++i) weights_.push_back(Take(desc.weights_desc(), dtype));
    out_ = Take(out, dtype);
    scratchpad_ = Take(desc.scratchpad_desc(), DType::kFloat32);
  }

  void Run() override {
    for (const Block& weights : weights_) {
      product_.execute(stream_, {{DNNL_ARG_SRC, x_.view},
                                 {DNNL_ARG_WEIGHTS, weights.view},
                                 {DNNL_ARG_DST, out_.view},
                                 {DNNL_ARG_SCRATCHPAD, scratchpad_.view}});
    }
    stream_.wait();
  }
  double flops() const override { return flops_; }

 private:
  struct Block {
    rose::cpu::Memory bytes;
    memory view;
  };

  Block Take(const memory::desc& desc, DType dtype) {
    const auto size = static_cast<int64_t>(desc.get_size());
    Block block{.bytes = rose::cpu::Memory(std::max(size, kCacheLine)), .view = {}};
    if (dtype == DType::kBFloat16) {
      std::fill_n(reinterpret_cast<rose::BFloat16*>(block.bytes.data()), size / 2,
                  rose::BFloat16::FromFloat(1));
    } else {
      std::fill_n(block.bytes.floats(), size / int64_t{sizeof(float)}, 1.0F);
    }
    block.view = memory(desc, engine_, block.bytes.data());
    return block;
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  double flops_;
  matmul product_;
  Block x_, out_, scratchpad_;
  std::vector<Block> weights_;  ///< Of each part.
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

absl::Status OneDnnMatmul::Cap(Isa isa, DType dtype) {
  try {
    if (dnnl::set_max_cpu_isa(CapOf(isa)) != dnnl::status::success) {
      return absl::FailedPreconditionError("oneDNN has run without a cap");
    }
    const Matmul trial(dtype, 64, 64, 64, 1);
    return absl::OkStatus();
  } catch (const dnnl::error& error) {
    return absl::FailedPreconditionError(
        fmt::format("oneDNN cannot multiply {}: {}", rose::DTypeName(dtype), error.what()));
  }
}

std::unique_ptr<OneDnnMatmul> OneDnnMatmul::Create(DType dtype, int64_t rows, int64_t k, int64_t n,
                                                   int64_t parts) {
  CHECK(n % parts == 0);
  return std::make_unique<Matmul>(dtype, rows, k, n / parts, parts);
}

}  // namespace bench
