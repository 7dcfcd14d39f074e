#include <string>

#include "common/check.h"
#include "rose/cpu/onednn_products.h"

// In place of onednn_products.cc in a program without oneDNN (PARTERRE_WITH_ONEDNN=OFF).

namespace rose::cpu {

const OneDnnProduct& OneDnnProducts::Get(DType dtype, int64_t k, int64_t n) {
  const auto& product = products_[{dtype, k, n}];
  CHECK(product != nullptr) << "built without oneDNN";
  return *product;
}

absl::Status CheckOneDnn(Isa, DType dtype) {
  return absl::FailedPreconditionError(std::string("built without oneDNN, which multiplies ") +
                                       DTypeName(dtype));
}

}  // namespace rose::cpu
