#include "rose/kernels/device/norm_rows.cuh"
#include "rose/kernels/norm.h"

namespace rose::kernels {
namespace {

/// x.
template <typename Element>
struct Plain {
  using T = Element;
  template <int kWidth>
  using Raw = Vector<T, kWidth>;
  struct View {
    const T* x;

    template <int kWidth>
    __device__ Raw<kWidth> Load(int column) const {
      return kernels::Load<T, kWidth>(x + column);
    }
    template <int kWidth>
    __device__ Floats<kWidth> Form(int, Raw<kWidth> raw, bool) const {
      return Widen(raw);
    }
    template <int kWidth>
    __device__ Floats<kWidth> Again(int column) const {
      return Widen(Load<kWidth>(column));
    }
  };

  const T* x;
  int64_t cols;

  __device__ View Row(int row, bool) const { return {x + row * cols}; }
};

/// x + y, in float32, and the bias of a column where there is one; or, kStored, x += y, and x as it
/// was stored.
template <typename Element, bool kStored>
struct SumOfTwo {
  using T = Element;
  template <int kWidth>
  struct Raw {
    Vector<T, kWidth> x;
    Vector<T, kWidth> y;
  };
  struct View {
    T* x;
    const T* y;
    const T* bias;
    bool used;

    template <int kWidth>
    __device__ Raw<kWidth> Load(int column) const {
      return {kernels::Load<T, kWidth>(x + column), kernels::Load<T, kWidth>(y + column)};
    }
    template <int kWidth>
    __device__ Floats<kWidth> Form(int column, const Raw<kWidth>& raw, bool own) const {
      Floats<kWidth> sum = Widen(raw.x) + Widen(raw.y);
      if (bias != nullptr) sum = sum + Widen(kernels::Load<T, kWidth>(bias + column));
      if constexpr (!kStored) return sum;
      const Vector<T, kWidth> rounded = Narrow<T>(ZeroUnless(used, sum));
      if (own) Store(x + column, rounded);
      return Widen(rounded);
    }
    template <int kWidth>
    __device__ Floats<kWidth> Again(int column) const {
      if constexpr (kStored) return Widen(kernels::Load<T, kWidth>(x + column));
      return Form<kWidth>(column, Load<kWidth>(column), /*own=*/true);
    }
  };

  T* x;
  const T* y;
  const T* bias;
  int64_t cols;

  __device__ View Row(int row, bool used) const {
    return {x + row * cols, y + row * cols, bias, used};
  }
};

template <bool kStored>
cudaError_t NormSum(const Launch& launch, const NormParams& norm, Tensor x, Tensor y, Tensor bias,
                    Tensor out) {
  const int width = VectorWidth(
      x.dtype, x.cols, {x.data, y.data, bias.data, out.data, norm.weight.data, norm.bias.data});
  return WithElements(x.dtype, [&]<typename T>() {
    const SumOfTwo<T, kStored> sum{
        .x = Elements<T>(x), .y = Elements<T>(y), .bias = Elements<T>(bias), .cols = x.cols};
    return NormRows(launch, sum, norm, width, out);
  });
}

}  // namespace

cudaError_t Norm(const Launch& launch, const NormParams& norm, Tensor x, Tensor out) {
  const int width =
      VectorWidth(x.dtype, x.cols, {x.data, out.data, norm.weight.data, norm.bias.data});
  return WithElements(x.dtype, [&]<typename T>() {
    const Plain<T> plain{.x = Elements<T>(x), .cols = x.cols};
    return NormRows(launch, plain, norm, width, out);
  });
}

cudaError_t AddNorm(const Launch& launch, const NormParams& norm, Tensor x, Tensor residual,
                    Tensor out, Tensor bias) {
  return NormSum<false>(launch, norm, x, residual, bias, out);
}

cudaError_t ResidualNorm(const Launch& launch, const NormParams& norm, Tensor y, Tensor x,
                         Tensor out) {
  return NormSum<true>(launch, norm, x, y, /*bias=*/{}, out);
}

}  // namespace rose::kernels
