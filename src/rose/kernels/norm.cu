#include "rose/kernels/device/norm_rows.cuh"
#include "rose/kernels/norm.h"

namespace rose::kernels {
namespace {

/// x, and the bias of a column where there is one.
template <typename Element>
struct Biased {
  using T = Element;
  template <int kWidth>
  using Raw = Vector<T, kWidth>;
  struct View {
    const T* x;
    const T* bias;

    template <int kWidth>
    __device__ Raw<kWidth> Load(int column) const {
      return kernels::Load<T, kWidth>(x + column);
    }
    template <int kWidth>
    __device__ Floats<kWidth> Form(int column, Raw<kWidth> raw, bool) const {
      if (bias == nullptr) return Widen(raw);
      return Widen(raw) + Widen(kernels::Load<T, kWidth>(bias + column));
    }
    template <int kWidth>
    __device__ Floats<kWidth> Again(int column) const {
      return Form<kWidth>(column, Load<kWidth>(column), /*own=*/true);
    }
  };

  const T* x;
  const T* bias;
  int64_t cols;

  __device__ View Row(int row, bool) const { return {x + row * cols, bias}; }
};

/// x + y, in float32; or, kStored, x += y, and x as it was stored.
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
    bool used;

    template <int kWidth>
    __device__ Raw<kWidth> Load(int column) const {
      return {kernels::Load<T, kWidth>(x + column), kernels::Load<T, kWidth>(y + column)};
    }
    template <int kWidth>
    __device__ Floats<kWidth> Form(int column, const Raw<kWidth>& raw, bool own) const {
      const Floats<kWidth> sum = Widen(raw.x) + Widen(raw.y);
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
  int64_t cols;

  __device__ View Row(int row, bool used) const { return {x + row * cols, y + row * cols, used}; }
};

template <bool kStored>
cudaError_t NormSum(const Launch& launch, const NormParams& norm, Tensor x, Tensor y, Tensor out) {
  const int width =
      VectorWidth(x.dtype, x.cols, {x.data, y.data, out.data, norm.weight.data, norm.bias.data});
  return WithElements(x.dtype, [&]<typename T>() {
    const SumOfTwo<T, kStored> sum{.x = Elements<T>(x), .y = Elements<T>(y), .cols = x.cols};
    return NormRows(launch, sum, norm, width, out);
  });
}

}  // namespace

cudaError_t Norm(const Launch& launch, const NormParams& norm, Tensor x, Tensor out, Tensor bias) {
  const int width =
      VectorWidth(x.dtype, x.cols, {x.data, bias.data, out.data, norm.weight.data, norm.bias.data});
  return WithElements(x.dtype, [&]<typename T>() {
    const Biased<T> biased{.x = Elements<T>(x), .bias = Elements<T>(bias), .cols = x.cols};
    return NormRows(launch, biased, norm, width, out);
  });
}

cudaError_t AddNorm(const Launch& launch, const NormParams& norm, Tensor x, Tensor residual,
                    Tensor out) {
  return NormSum<false>(launch, norm, x, residual, out);
}

cudaError_t ResidualNorm(const Launch& launch, const NormParams& norm, Tensor y, Tensor x,
                         Tensor out) {
  return NormSum<true>(launch, norm, x, y, out);
}

}  // namespace rose::kernels
