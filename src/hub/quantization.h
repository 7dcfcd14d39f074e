#pragma once

namespace hub {

/// How a model's own files ask for its dense vectors to be rounded.
enum class Quantization {
  kNone,
  /// pplx-embed's: int8 = tanh(x) · 127, rounded half to even; binary = the sign of x.
  kTanhInt8,
};

/// "none", "tanh_int8".
constexpr const char* QuantizationName(Quantization quantization) {
  return quantization == Quantization::kNone ? "none" : "tanh_int8";
}

}  // namespace hub
