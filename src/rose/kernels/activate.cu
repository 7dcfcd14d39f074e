#include "rose/kernels/activate.h"
#include "rose/kernels/device/activation.cuh"
#include "rose/kernels/device/map_rows.cuh"
#include "rose/kernels/device/vector.cuh"

namespace rose::kernels {
namespace {

struct Nothing {};

template <typename T, int kElements, Activation kActivation>
struct ActivateBody {
  static constexpr int kWidth = kElements;
  using Loaded = Vector<T, kWidth>;

  T* x;
  const T* bias;  ///< Or null.
  int64_t cols;

  __device__ Floats<kWidth> Prepare(int column) const {
    return bias == nullptr ? Filled<kWidth>(0) : Widen(kernels::Load<T, kWidth>(bias + column));
  }
  __device__ Loaded Load(int row, int column, bool) const {
    return kernels::Load<T, kWidth>(x + row * cols + column);
  }
  __device__ void Store(int row, int column, bool used, const Floats<kWidth>& added,
                        Loaded loaded) const {
    Floats<kWidth> values = Widen(loaded) + added;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) values[i] = Activated<kActivation>(values[i]);
    kernels::Store(x + row * cols + column, used ? Narrow<T>(values) : loaded);
  }
};

template <typename T, int kElements, Activation kActivation>
struct GateBody {
  static constexpr int kWidth = kElements;
  struct Loaded {
    Vector<T, kWidth> gate;
    Vector<T, kWidth> value;
  };

  const T* x;
  T* out;
  int64_t cols;  ///< Of `out`: half of those of x.

  __device__ Nothing Prepare(int) const { return {}; }
  __device__ Loaded Load(int row, int column, bool) const {
    const T* from = x + row * 2 * cols + column;
    return {kernels::Load<T, kWidth>(from), kernels::Load<T, kWidth>(from + cols)};
  }
  __device__ void Store(int row, int column, bool used, Nothing, const Loaded& loaded) const {
    const Floats<kWidth> gate = Widen(loaded.gate);
    Floats<kWidth> values = Widen(loaded.value);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) values[i] *= Activated<kActivation>(gate[i]);
    kernels::Store(out + row * cols + column, Narrow<T>(ZeroUnless(used, values)));
  }
};

template <typename T, int kElements>
struct AddBody {
  static constexpr int kWidth = kElements;
  struct Loaded {
    Vector<T, kWidth> x;
    Vector<T, kWidth> y;
  };

  const T* x;
  const T* y;
  T* out;
  int64_t cols;

  __device__ Nothing Prepare(int) const { return {}; }
  __device__ Loaded Load(int row, int column, bool) const {
    const int64_t at = row * cols + column;
    return {kernels::Load<T, kWidth>(x + at), kernels::Load<T, kWidth>(y + at)};
  }
  __device__ void Store(int row, int column, bool used, Nothing, const Loaded& loaded) const {
    const Floats<kWidth> sum = Widen(loaded.x) + Widen(loaded.y);
    kernels::Store(out + row * cols + column, Narrow<T>(ZeroUnless(used, sum)));
  }
};

template <typename T, int kElements>
struct WidenBody {
  static constexpr int kWidth = kElements;
  using Loaded = Vector<T, kWidth>;

  const T* x;
  float* out;
  int64_t cols;

  __device__ Nothing Prepare(int) const { return {}; }
  __device__ Loaded Load(int row, int column, bool) const {
    return kernels::Load<T, kWidth>(x + row * cols + column);
  }
  __device__ void Store(int row, int column, bool used, Nothing, Loaded loaded) const {
    StoreFloats(out + row * cols + column, ZeroUnless(used, kernels::Widen(loaded)));
  }
};

}  // namespace

cudaError_t Activate(const Launch& launch, Activation activation, Tensor bias, Tensor x) {
  const int width = VectorWidth(x.dtype, x.cols, {x.data, bias.data});
  return WithVectors(x.dtype, width, [&]<typename T, int kWidth>() {
    return WithActivation(activation, [&]<Activation kActivation>() {
      const ActivateBody<T, kWidth, kActivation> body{
          .x = Elements<T>(x), .bias = Elements<T>(bias), .cols = x.cols};
      return MapRows(launch, body, CountRows(launch, x), x.cols);
    });
  });
}

cudaError_t Gate(const Launch& launch, Activation activation, Tensor x, Tensor out) {
  const int width = VectorWidth(x.dtype, out.cols, {x.data, out.data});
  return WithVectors(x.dtype, width, [&]<typename T, int kWidth>() {
    return WithActivation(activation, [&]<Activation kActivation>() {
      const GateBody<T, kWidth, kActivation> body{
          .x = Elements<T>(x), .out = Elements<T>(out), .cols = out.cols};
      return MapRows(launch, body, CountRows(launch, x), out.cols);
    });
  });
}

cudaError_t Add(const Launch& launch, Tensor x, Tensor y, Tensor out) {
  const int width = VectorWidth(x.dtype, x.cols, {x.data, y.data, out.data});
  return WithVectors(x.dtype, width, [&]<typename T, int kWidth>() {
    const AddBody<T, kWidth> body{
        .x = Elements<T>(x), .y = Elements<T>(y), .out = Elements<T>(out), .cols = x.cols};
    return MapRows(launch, body, CountRows(launch, x), x.cols);
  });
}

cudaError_t Widen(const Launch& launch, Tensor x, Tensor out) {
  const int width = VectorWidth(x.dtype, x.cols, {x.data, out.data});
  return WithVectors(x.dtype, width, [&]<typename T, int kWidth>() {
    const WidenBody<T, kWidth> body{
        .x = Elements<T>(x), .out = Elements<float>(out), .cols = x.cols};
    return MapRows(launch, body, CountRows(launch, x), x.cols);
  });
}

}  // namespace rose::kernels
