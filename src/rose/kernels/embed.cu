#include "rose/kernels/device/map_rows.cuh"
#include "rose/kernels/device/norm_rows.cuh"
#include "rose/kernels/device/vector.cuh"
#include "rose/kernels/embed.h"

namespace rose::kernels {
namespace {

/// A Lookup in device terms.
template <typename T>
struct Table {
  const T* rows;  ///< Null: nothing is looked up.
  const int32_t* ids;

  /// The row that goes with `row` of the output; with a row of padding, whose id may be anything,
  /// the first of the table, so that loads need not wait for what is padding.
  __device__ const T* At(int row, bool used, int64_t cols) const {
    const int32_t id = ids[row];
    return rows + (used ? id : 0) * cols;
  }
};

template <typename T>
Table<T> MakeTable(const Lookup& lookup) {
  return {Elements<T>(lookup.table), lookup.ids};
}

template <typename T, int kElements, bool kAdd>
struct EmbedBody {
  static constexpr int kWidth = kElements;
  struct Constants {};
  struct Loaded {
    Vector<T, kWidth> row;
    Vector<T, kWidth> old;  ///< kAdd only.
  };

  Table<T> words;
  T* out;
  int64_t cols;

  __device__ Constants Prepare(int) const { return {}; }
  __device__ Loaded Load(int row, int column, bool used) const {
    Loaded loaded;
    loaded.row = LoadConstant<T, kWidth>(words.At(row, used, cols) + column);
    if constexpr (kAdd) loaded.old = kernels::Load<T, kWidth>(out + row * cols + column);
    return loaded;
  }
  __device__ void Store(int row, int column, bool used, Constants, const Loaded& loaded) const {
    Floats<kWidth> values = Widen(loaded.row);
    if constexpr (kAdd) values = Widen(loaded.old) + values;
    kernels::Store(out + row * cols + column, Narrow<T>(ZeroUnless(used, values)));
  }
};

/// The sum of up to three rows, in float32.
template <typename Element>
struct EmbeddingSum {
  using T = Element;
  template <int kWidth>
  struct Raw {
    Vector<T, kWidth> word;
    Vector<T, kWidth> position;
    Vector<T, kWidth> type;
  };
  struct View {
    const T* word;
    const T* position;  ///< Or null, as `type`.
    const T* type;

    template <int kWidth>
    __device__ Raw<kWidth> Load(int column) const {
      Raw<kWidth> raw = {};
      raw.word = LoadConstant<T, kWidth>(word + column);
      if (position != nullptr) raw.position = LoadConstant<T, kWidth>(position + column);
      if (type != nullptr) raw.type = LoadConstant<T, kWidth>(type + column);
      return raw;
    }
    template <int kWidth>
    __device__ Floats<kWidth> Form(int, const Raw<kWidth>& raw, bool) const {
      return Widen(raw.word) + Widen(raw.position) + Widen(raw.type);
    }
    template <int kWidth>
    __device__ Floats<kWidth> Again(int column) const {
      return Form<kWidth>(column, Load<kWidth>(column), /*own=*/true);
    }
  };

  Table<T> words;
  Table<T> positions;
  Table<T> types;
  int64_t cols;

  __device__ View Row(int row, bool used) const {
    return {.word = words.At(row, used, cols),
            .position = positions.rows == nullptr ? nullptr : positions.At(row, used, cols),
            .type = types.rows == nullptr ? nullptr : types.At(row, used, cols)};
  }
};

}  // namespace

cudaError_t Embed(const Launch& launch, const Lookup& words, bool add, Tensor out) {
  const int width = VectorWidth(out.dtype, out.cols, {words.table.data, out.data});
  return WithVectors(out.dtype, width, [&]<typename T, int kWidth>() {
    const auto run = [&](const auto& body) {
      return MapRows(launch, body, CountRows(launch, out), out.cols);
    };
    const Table<T> table = MakeTable<T>(words);
    if (add) return run(EmbedBody<T, kWidth, true>{table, Elements<T>(out), out.cols});
    return run(EmbedBody<T, kWidth, false>{table, Elements<T>(out), out.cols});
  });
}

cudaError_t EmbedNorm(const Launch& launch, const Lookup& words, const Lookup& positions,
                      const Lookup& types, const NormParams& norm, Tensor out) {
  const int width = VectorWidth(out.dtype, out.cols,
                                {words.table.data, positions.table.data, types.table.data, out.data,
                                 norm.weight.data, norm.bias.data});
  return WithElements(out.dtype, [&]<typename T>() {
    const EmbeddingSum<T> sum{.words = MakeTable<T>(words),
                              .positions = MakeTable<T>(positions),
                              .types = MakeTable<T>(types),
                              .cols = out.cols};
    return NormRows(launch, sum, norm, width, out);
  });
}

}  // namespace rose::kernels
