#include "rose/heads/dense_module.h"

#include "common/check.h"
#include "rose/loading/loader.h"

namespace rose {
namespace {

std::optional<Activation> FromHub(hub::Activation activation) {
  switch (activation) {
    case hub::Activation::kIdentity:
      return std::nullopt;
    case hub::Activation::kTanh:
      return Activation::kTanh;
    case hub::Activation::kRelu:
      return Activation::kRelu;
    case hub::Activation::kGelu:
      return Activation::kGelu;
    case hub::Activation::kSilu:
      return Activation::kSilu;
    case hub::Activation::kSigmoid:
      return Activation::kSigmoid;
  }
  CHECK(false) << "activation " << static_cast<int>(activation);
}

}  // namespace

absl::StatusOr<DenseModule> LoadDenseModule(const hub::DenseModule& module, DType dtype,
                                            const WeightSource& source, Backend& backend) {
  ASSIGN_OR_RETURN(const auto weights, source.Open({&module.weight_file, 1}));
  Loader load(*weights, backend);
  const Linear linear =
      module.bias ? load.Dense("linear", module.out_features, module.in_features, dtype)
                  : load.DenseNoBias("linear", module.out_features, module.in_features, dtype);
  RETURN_IF_ERROR(load.Finish());
  return DenseModule{.linear = linear, .activation = FromHub(module.activation)};
}

}  // namespace rose
