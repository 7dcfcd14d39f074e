#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "rose/core/backend.h"
#include "rose/layers/linear.h"
#include "rose/layers/norm.h"
#include "rose/loading/load_progress.h"
#include "rose/weights/tensor_rows.h"
#include "rose/weights/weights.h"

namespace rose {

enum class Bias : bool { kNo, kYes };

/// A dense layer of a checkpoint that becomes a part of a fused one.
struct FusedPart {
  std::string name;
  int64_t out_features = 0;
};

/// Takes tensors out of a checkpoint and lays them out on a device: the one conversion step that
/// every family and every head shares. Names are the checkpoint's own, so that an error reads as
/// its index does; a layer's name may be "", where its tensors are called `weight` and `bias`
/// alone. Weights and biases that are not finite are an error; tables may hold such rows, since
/// nobody may ask for them, and answers that use one show it. The first error sticks: from then on
/// every call gives an empty value, and Finish returns it; so a family binds its weights one after
/// the other and asks once. Lives while a model loads; files of a module's own folder have Weights
/// and a loader of their own. One thread.
class Loader {
 public:
  /// Both outlive the loader; the device's copies live in `backend`.
  Loader(Weights& weights, Backend& backend)
      : weights_(weights), backend_(backend), progress_(weights.bytes()) {}

  bool ok() const { return status_.ok(); }
  Weights& weights() { return weights_; }  ///< For AcceptPrefixes, Has and Skip.
  Backend& backend() { return backend_; }  ///< For what is computed and stands in no file.

  /// An embedding table [rows × cols] in the backend's dtype, without its first `first_row` rows.
  Tensor Table(std::string_view name, int64_t rows, int64_t cols, int64_t first_row = 0);
  /// The tensor `name` [rows × cols] as float32 values on the host, for what is yet to be computed.
  std::vector<float> Values(std::string_view name, int64_t rows, int64_t cols);

  /// `name`.weight and `name`.bias, [size] each.
  Norm LayerNorm(std::string_view name, int64_t size, float epsilon);
  /// `name`.weight alone.
  Norm LayerNormNoBias(std::string_view name, int64_t size, float epsilon);
  Norm RmsNorm(std::string_view name, int64_t size, float epsilon);

  // Products, in the backend's dtype or, where numbers count more than time, in another it knows.
  using DTypeChoice = std::optional<DType>;

  /// `name`.weight [out_features × in_features] and `name`.bias [out_features].
  Linear Dense(std::string_view name, int64_t out_features, int64_t in_features,
               DTypeChoice dtype = std::nullopt);
  /// `name`.weight alone.
  Linear DenseNoBias(std::string_view name, int64_t out_features, int64_t in_features,
                     DTypeChoice dtype = std::nullopt);
  /// Several such layers over the same input as one product: its output holds theirs side by side,
  /// in this order.
  Linear Fused(const std::vector<FusedPart>& parts, int64_t in_features, Bias bias,
               DTypeChoice dtype = std::nullopt);
  /// A matrix that is tied to another part, such as a table of embeddings, by its full name; and
  /// the bias, if `bias_name` is not "".
  Linear Tied(std::string_view weight_name, std::string_view bias_name, int64_t out_features,
              int64_t in_features, DTypeChoice dtype = std::nullopt);

  /// Row `row` of a matrix [rows × cols] that is tied to another part, as float32 on the host.
  std::vector<float> TiedRow(std::string_view name, int64_t row, int64_t rows, int64_t cols);

  /// The first error, else that of the tensors which nobody read or skipped.
  absl::Status Finish() const;

 private:
  enum class Reading : bool { kOnce, kTied };

  /// The tensor, or nothing: then status_ says why.
  std::optional<HostTensor> Take(std::string_view name, std::initializer_list<int64_t> shape,
                                 Reading reading = Reading::kOnce);
  /// Appends the elements of the vector `name` [size] to `values`.
  void AppendVector(std::string_view name, int64_t size, std::vector<float>& values);
  /// Refuses a tensor of `rows` that has shown a value which is not finite.
  void CheckFinite(const TensorRows& rows);
  /// Rows first … first + rows − 1; nothing of nothing.
  std::vector<float> ReadValues(std::optional<HostTensor> tensor, int64_t first, int64_t rows,
                                int64_t cols);
  Norm MakeNorm(NormKind kind, std::string_view name, int64_t size, float epsilon, Bias bias);
  Linear MakeLinear(const TensorRows& weight, std::span<const float> bias, DTypeChoice dtype);

  Weights& weights_;
  Backend& backend_;
  LoadProgress progress_;
  absl::Status status_;
};

}  // namespace rose
