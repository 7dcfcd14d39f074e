#include "hub/activation.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace hub {
namespace {

constexpr std::array kAll = {Activation::kIdentity, Activation::kTanh, Activation::kRelu,
                             Activation::kGelu,     Activation::kSilu, Activation::kSigmoid};

}  // namespace

const char* ActivationName(Activation activation) {
  switch (activation) {
    case Activation::kIdentity:
      return "Identity";
    case Activation::kTanh:
      return "Tanh";
    case Activation::kRelu:
      return "ReLU";
    case Activation::kGelu:
      return "GELU";
    case Activation::kSilu:
      return "SiLU";
    case Activation::kSigmoid:
      return "Sigmoid";
  }
  return "unknown";
}

absl::StatusOr<Activation> ParseActivation(std::string_view python_path) {
  const std::string_view name = python_path.substr(python_path.rfind('.') + 1);
  std::string known;
  for (const Activation activation : kAll) {
    if (name == ActivationName(activation)) return activation;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", ActivationName(activation));
  }
  return absl::InvalidArgumentError(
      fmt::format("unknown activation \"{}\", expected one of {}", python_path, known));
}

}  // namespace hub
