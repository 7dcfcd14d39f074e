#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/target.h"
#include "common/status.h"

namespace bench {

/// What another program has made of the same weights.
struct ReferenceVectors {
  struct Input {
    std::vector<int32_t> ids{};
    std::vector<float> embedding{};
  };

  std::string model{};
  std::vector<Input> inputs{};  ///< At least two.
};

/// Reads {"model": …, "inputs": [{"ids": [int, …], "embedding": [float, …]}, …]}. InvalidArgument
/// names what is missing or wrong.
absl::StatusOr<ReferenceVectors> ReadReference(std::string_view json);
/// The same of a file; errors start with its name.
absl::StatusOr<ReferenceVectors> ReadReferenceFile(const std::filesystem::path& file);

/// How far a target's vectors may be from those of the reference: 1 − their cosine.
inline constexpr double kDivergenceMax = 1e-3;

/// The largest divergence of the target's vectors, each input alone and all of them in one request.
/// FailedPrecondition says which input diverges by more than kDivergenceMax and how far, or that
/// the vectors of two inputs are closer than that, so that the check would prove nothing.
absl::StatusOr<double> CheckReference(Target& target, const ReferenceVectors& reference);

}  // namespace bench
