#include "wire/grpc/enums.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "proto/tulip/v1/tulip.pb.h"

namespace wire {
namespace {

constexpr std::array<std::pair<hub::Output, tulip::v1::Output>, hub::kAllOutputs.size()> kOutputs =
    {{{hub::Output::kDense, tulip::v1::OUTPUT_DENSE},
      {hub::Output::kScores, tulip::v1::OUTPUT_SCORES},
      {hub::Output::kSparse, tulip::v1::OUTPUT_SPARSE},
      {hub::Output::kTokens, tulip::v1::OUTPUT_TOKENS},
      {hub::Output::kColbert, tulip::v1::OUTPUT_COLBERT}}};

}  // namespace

void FillOutputs(hub::Outputs outputs, OutputNumbers& numbers) {
  for (const auto& [output, number] : kOutputs) {
    if (outputs.Has(output)) numbers.Add(number);
  }
}

absl::StatusOr<hub::Outputs> ReadOutputs(const OutputNumbers& numbers, std::string_view field) {
  hub::Outputs outputs;
  for (const int asked : numbers) {
    const auto* const known = std::ranges::find(
        kOutputs, asked, [](const auto& entry) { return static_cast<int>(entry.second); });
    if (known == kOutputs.end()) {
      return absl::InvalidArgumentError(fmt::format("{}: {} is no output", field, asked));
    }
    outputs |= known->first;
  }
  return outputs;
}

int NumberOf(ValueType type) {
  return type == ValueType::kFloat32 ? tulip::v1::VALUE_TYPE_FLOAT32
                                     : tulip::v1::VALUE_TYPE_BFLOAT16;
}

absl::StatusOr<ValueType> ReadValueType(int number, std::string_view field) {
  if (number == tulip::v1::VALUE_TYPE_FLOAT32) return ValueType::kFloat32;
  if (number == tulip::v1::VALUE_TYPE_BFLOAT16) return ValueType::kBFloat16;
  return absl::InvalidArgumentError(fmt::format("{}: {} is no value type", field, number));
}

}  // namespace wire
