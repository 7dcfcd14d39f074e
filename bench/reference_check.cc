#include "bench/reference_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "common/file.h"

namespace bench {
namespace {

using Vector = std::vector<float>;

/// 1 − the cosine; nothing where a vector is zero or not finite.
std::optional<double> Divergence(const Vector& a, const Vector& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  const double divergence = 1 - ab / std::sqrt(aa * bb);
  return std::isfinite(divergence) ? std::optional(divergence) : std::nullopt;
}

absl::Status CheckInputs(const ReferenceVectors& reference) {
  if (reference.inputs.size() < 2) {
    return absl::InvalidArgumentError("inputs: expected at least two, to tell them apart");
  }
  const std::size_t dimensions = reference.inputs.front().embedding.size();
  for (std::size_t i = 0; i < reference.inputs.size(); ++i) {
    const ReferenceVectors::Input& input = reference.inputs[i];
    if (input.ids.empty()) {
      return absl::InvalidArgumentError(fmt::format("inputs[{}].ids: expected token ids", i));
    }
    if (input.embedding.empty() || input.embedding.size() != dimensions) {
      return absl::InvalidArgumentError(
          fmt::format("inputs[{}].embedding: {} dimensions, expected {} as of the first", i,
                      input.embedding.size(), dimensions));
    }
  }
  return absl::OkStatus();
}

/// The check of the inputs that are sent in one request.
class Comparison {
 public:
  /// `first`: which of the reference's inputs the vectors begin with. `how`: "alone".
  Comparison(const ReferenceVectors& reference, std::size_t first, const char* how)
      : reference_(reference), first_(first), how_(how) {}

  absl::StatusOr<double> Check(const Vectors& vectors) const {
    double worst = 0;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      ASSIGN_OR_RETURN(const double divergence, CheckOne(first_ + i, vectors[i]));
      worst = std::max(worst, divergence);
    }
    return worst;
  }

 private:
  absl::StatusOr<double> CheckOne(std::size_t input, const Vector& vector) const {
    const std::vector<ReferenceVectors::Input>& inputs = reference_.inputs;
    const Vector& expected = inputs[input].embedding;
    if (vector.size() != expected.size()) {
      return absl::FailedPreconditionError(fmt::format("input {}: {} dimensions, {} has {}", input,
                                                       vector.size(), Name(), expected.size()));
    }
    const std::optional<double> divergence = Divergence(vector, expected);
    if (!divergence || *divergence > kDivergenceMax) {
      return absl::FailedPreconditionError(
          fmt::format("input {} ({} tokens, {}): its vector diverges from {} by {}, at most {} is "
                      "allowed (1 − cosine)",
                      input, inputs[input].ids.size(), how_, Name(),
                      divergence ? fmt::to_string(*divergence) : "no number", kDivergenceMax));
    }
    const std::size_t other = (input + 1) % inputs.size();
    const std::optional<double> apart = Divergence(vector, inputs[other].embedding);
    if (!apart || *apart <= kDivergenceMax) {
      return absl::FailedPreconditionError(
          fmt::format("input {} is as close to the vector that {} has of input {}: "
                      "the comparison proves nothing",
                      input, Name(), other));
    }
    return *divergence;
  }

  std::string Name() const { return reference_.model.empty() ? "the reference" : reference_.model; }

  const ReferenceVectors& reference_;
  const std::size_t first_;
  const char* const how_;
};

absl::StatusOr<double> CheckTogether(Target& target, const ReferenceVectors& reference,
                                     std::size_t first, std::size_t count, const char* how) {
  Request request;
  for (const auto& input : std::span(reference.inputs).subspan(first, count)) {
    request.ids.push_back(input.ids);
    request.tokens.push_back(static_cast<int32_t>(input.ids.size()));
  }
  ASSIGN_OR_RETURN(const Vectors vectors, target.Embed(request));
  if (vectors.size() != count) {
    return absl::FailedPreconditionError(
        fmt::format("an answer of {} rows to a request of {} inputs", vectors.size(), count));
  }
  return Comparison(reference, first, how).Check(vectors);
}

}  // namespace

absl::StatusOr<ReferenceVectors> ReadReference(std::string_view text) {
  ReferenceVectors reference;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    reference.model = json.value("model", "");
    for (const nlohmann::json& input : json.at("inputs")) {
      reference.inputs.push_back({.ids = input.at("ids"), .embedding = input.at("embedding")});
    }
  } catch (const nlohmann::json::exception& error) {
    return absl::InvalidArgumentError(fmt::format("no reference vectors: {}", error.what()));
  }
  RETURN_IF_ERROR(CheckInputs(reference));
  return reference;
}

absl::StatusOr<ReferenceVectors> ReadReferenceFile(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const std::string text, common::ReadFile(file));
  absl::StatusOr<ReferenceVectors> reference = ReadReference(text);
  if (reference.ok()) return reference;
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", file.string(), std::string(reference.status().message())));
}

absl::StatusOr<double> CheckReference(Target& target, const ReferenceVectors& reference) {
  double worst = 0;
  for (std::size_t i = 0; i < reference.inputs.size(); ++i) {
    ASSIGN_OR_RETURN(const double divergence, CheckTogether(target, reference, i, 1, "alone"));
    worst = std::max(worst, divergence);
  }
  ASSIGN_OR_RETURN(
      const double together,
      CheckTogether(target, reference, 0, reference.inputs.size(), "beside the others"));
  return std::max(worst, together);
}

}  // namespace bench
