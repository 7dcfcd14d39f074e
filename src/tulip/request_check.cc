#include "tulip/request_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "wire/sequence_error.h"

namespace tulip {
namespace {

absl::Status Wrong(std::size_t sequence, std::string_view message) {
  return wire::SequenceError(absl::StatusCode::kInvalidArgument, sequence, message);
}

absl::Status CheckLengths(const wire::InferenceRequest& request, int32_t max_length) {
  if (request.lengths.empty()) {
    return absl::InvalidArgumentError("lengths: empty, expected at least one sequence");
  }
  int64_t sum = 0;
  for (size_t i = 0; i < request.lengths.size(); ++i) {
    const int32_t length = request.lengths[i];
    if (length < 1 || length > max_length) {
      return Wrong(i, fmt::format("length {}, expected 1 to {}", length, max_length));
    }
    sum += length;
  }
  if (sum != static_cast<int64_t>(request.ids.size())) {
    return absl::InvalidArgumentError(
        fmt::format("lengths: sum {}, but {} ids", sum, request.ids.size()));
  }
  return absl::OkStatus();
}

/// Every one of `ids`, which are packed as `lengths` say, must be in [0, size).
absl::Status CheckIds(const std::vector<int32_t>& ids, const std::vector<int32_t>& lengths,
                      std::string_view name, int32_t size) {
  const auto bad =
      std::find_if(ids.begin(), ids.end(), [size](int32_t id) { return id < 0 || id >= size; });
  if (bad == ids.end()) return absl::OkStatus();
  int64_t token = bad - ids.begin();
  size_t sequence = 0;
  while (token >= lengths[sequence]) token -= lengths[sequence++];
  return Wrong(sequence,
               fmt::format("token {}: {} {}, expected 0 to {}", token, name, *bad, size - 1));
}

absl::Status CheckTypeIds(const wire::InferenceRequest& request, int32_t type_vocabulary_size) {
  if (request.type_ids.empty()) return absl::OkStatus();
  if (request.type_ids.size() != request.ids.size()) {
    return absl::InvalidArgumentError(fmt::format("type_ids: {} entries, expected {}, one per id",
                                                  request.type_ids.size(), request.ids.size()));
  }
  return CheckIds(request.type_ids, request.lengths, "type id", type_vocabulary_size);
}

absl::Status CheckPromptLengths(const wire::InferenceRequest& request) {
  if (request.prompt_lengths.empty()) return absl::OkStatus();
  if (request.prompt_lengths.size() != request.lengths.size()) {
    return absl::InvalidArgumentError(
        fmt::format("prompt_lengths: {} entries, expected {}, one per sequence",
                    request.prompt_lengths.size(), request.lengths.size()));
  }
  for (size_t i = 0; i < request.lengths.size(); ++i) {
    if (request.prompt_lengths[i] < 0 || request.prompt_lengths[i] > request.lengths[i]) {
      return Wrong(i, fmt::format("prompt length {}, expected 0 to {}", request.prompt_lengths[i],
                                  request.lengths[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOutputs(hub::Outputs asked, hub::Outputs given) {
  if (asked.empty()) return absl::InvalidArgumentError("outputs: empty, expected at least one");
  for (const hub::Output output : hub::kAllOutputs) {
    if (asked.Has(output) && !given.Has(output)) {
      return absl::InvalidArgumentError(
          fmt::format("outputs: this model does not give {}", hub::OutputName(output)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRequest(const wire::InferenceRequest& request, const wire::ModelInfo& model) {
  if (!request.model.empty() && request.model != model.name) {
    return absl::NotFoundError(
        fmt::format("model '{}' is not served here, only '{}'", request.model, model.name));
  }
  RETURN_IF_ERROR(CheckOutputs(request.outputs, model.outputs));
  RETURN_IF_ERROR(CheckLengths(request, model.max_length));
  RETURN_IF_ERROR(CheckIds(request.ids, request.lengths, "id", model.vocabulary_size));
  RETURN_IF_ERROR(CheckTypeIds(request, model.type_vocabulary_size));
  return CheckPromptLengths(request);
}

}  // namespace tulip
