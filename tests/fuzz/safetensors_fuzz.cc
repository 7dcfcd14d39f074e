#include <cstddef>
#include <cstdint>

#include "rose/weights/safetensors.h"
#include "stored_tensor_checks.h"

// Any bytes as a safetensors file: an error or tensors that lie in it.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const auto tensors = rose::ParseSafetensors(file, "fuzz");
  if (tensors.ok()) CheckTensors(file, *tensors);
  return 0;
}
