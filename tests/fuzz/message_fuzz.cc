#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "common/check.h"
#include "fuzz_input.h"
#include "proto/tulip/v1/tulip.pb.h"
#include "wire/grpc/info_message.h"
#include "wire/grpc/request_message.h"
#include "wire/grpc/result_message.h"

// Any bytes as a message of the protocol between Ivy and Tulip; the first byte says which. What
// parses is refused with the name of a field, or read into a struct that keeps the contract's rules
// and survives being written and read once more.

namespace {

using wire::ValueType;

void CheckRefusal(const absl::Status& status) {
  CHECK(status.code() == absl::StatusCode::kInvalidArgument) << status;
  const std::string message(status.message());
  const std::size_t colon = message.find(':');
  CHECK(colon != message.npos && colon > 0) << message;
  CHECK(std::all_of(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(colon),
                    [](char c) { return c == '_' || c == '.' || (c >= 'a' && c <= 'z'); }))
      << message << ": begins with no field";
}

/// What is read of bytes that are written of what was read.
template <typename Message, typename Read, typename Fill>
auto Again(const Read& read, const Fill& fill) {
  Message written, parsed;
  fill(written);
  CHECK(parsed.ParseFromString(written.SerializeAsString()));
  const auto again = read(parsed);
  CHECK(again.ok()) << again.status();
  return *again;
}

void CheckRequest(const wire::ReceivedRequest& received) {
  const wire::InferenceRequest& request = received.request;
  CHECK(!request.lengths.empty() && !request.outputs.empty());
  int64_t ids = 0;
  for (const int32_t length : request.lengths) {
    CHECK(length >= 1);
    ids += length;
  }
  CHECK(ids == std::ssize(request.ids));
  CHECK(request.type_ids.empty() || request.type_ids.size() == request.ids.size());
  CHECK(request.prompt_lengths.empty() || request.prompt_lengths.size() == request.lengths.size());
  for (std::size_t i = 0; i < request.prompt_lengths.size(); ++i) {
    CHECK(request.prompt_lengths[i] >= 0 && request.prompt_lengths[i] <= request.lengths[i]);
  }
  const auto again = Again<tulip::v1::InferRequest>(wire::ReadRequest, [&](auto& message) {
    wire::FillRequest(request, received.value_type, message);
  });
  CHECK(again.value_type == received.value_type && again.request.model == request.model);
  CHECK(again.request.ids == request.ids && again.request.lengths == request.lengths);
  CHECK(again.request.type_ids == request.type_ids);
  CHECK(again.request.prompt_lengths == request.prompt_lengths);
  CHECK(again.request.outputs == request.outputs && again.request.normalize == request.normalize);
  CHECK(again.request.job == request.job);
}

/// The same numbers, to the bit: −0 is not 0.
bool Same(const std::vector<float>& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y);
  });
}

void CheckFinite(const std::vector<float>& values) {
  CHECK(std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }));
}

void CheckOffsets(const std::vector<int64_t>& offsets, const wire::InferenceResult& result,
                  std::size_t rows) {
  if (offsets.size() == 1) {  // Not given.
    CHECK(rows == 0);
    return;
  }
  CHECK(std::ssize(offsets) == int64_t{result.sequences} + 1 && offsets.front() == 0);
  CHECK(std::is_sorted(offsets.begin(), offsets.end()));
  CHECK(offsets.back() == static_cast<int64_t>(rows));
}

void CheckMatrix(const wire::Matrix& matrix, const wire::InferenceResult& result) {
  const auto rows = static_cast<std::size_t>(matrix.columns > 0 ? result.sequences : 0);
  CHECK(matrix.values.size() == rows * static_cast<std::size_t>(matrix.columns));
  CheckFinite(matrix.values);
}

void CheckTokens(const wire::TokenMatrix& matrix, const wire::InferenceResult& result) {
  if (matrix.columns == 0) {
    CHECK(matrix.values.empty());
    return;
  }
  CHECK(matrix.values.size() % static_cast<std::size_t>(matrix.columns) == 0);
  CheckOffsets(matrix.offsets, result,
               matrix.values.size() / static_cast<std::size_t>(matrix.columns));
  CheckFinite(matrix.values);
}

void CheckResult(const wire::InferenceResult& result) {
  CHECK(result.sequences >= 0 && result.load_tokens >= 0);
  CheckMatrix(result.dense, result);
  CheckMatrix(result.scores, result);
  CHECK(result.sparse.ids.size() == result.sparse.weights.size());
  CheckOffsets(result.sparse.offsets, result, result.sparse.ids.size());
  CheckFinite(result.sparse.weights);
  CheckTokens(result.tokens, result);
  CheckTokens(result.colbert, result);
  const auto again = Again<tulip::v1::InferResponse>(wire::ReadResult, [&](auto& message) {
    wire::FillResult(result, ValueType::kFloat32, message);
  });
  CHECK(again.sequences == result.sequences && again.load_tokens == result.load_tokens);
  CHECK(Same(again.dense.values, result.dense.values));
  CHECK(Same(again.scores.values, result.scores.values));
  CHECK(again.sparse.offsets == result.sparse.offsets && again.sparse.ids == result.sparse.ids);
  CHECK(Same(again.sparse.weights, result.sparse.weights));
  CHECK(again.tokens.offsets == result.tokens.offsets);
  CHECK(Same(again.tokens.values, result.tokens.values));
  CHECK(again.colbert.offsets == result.colbert.offsets);
  CHECK(Same(again.colbert.values, result.colbert.values));
}

void CheckInfo(const wire::ModelInfo& info) {
  CHECK(!info.outputs.empty() && info.max_length >= 1 && info.vocabulary_size >= 1);
  CHECK(info.type_vocabulary_size >= 1 && info.max_batch_tokens >= 1);
  CHECK(info.saturation_tokens >= 1 && info.memory_bytes >= 0 && info.engines >= 1);
  const auto sized = [&](hub::Output output, int32_t size) {
    CHECK(size >= (info.outputs.Has(output) ? 1 : 0)) << hub::OutputName(output);
  };
  sized(hub::Output::kDense, info.dimension);
  sized(hub::Output::kScores, info.labels);
  sized(hub::Output::kTokens, info.hidden_size);
  sized(hub::Output::kColbert, info.colbert_dimension);
  const auto again = Again<tulip::v1::ModelInfo>(
      wire::ReadInfo, [&](auto& message) { wire::FillInfo(info, message); });
  CHECK(again.name == info.name && again.fingerprint == info.fingerprint);
  CHECK(again.outputs == info.outputs && again.batch_curve == info.batch_curve);
  CHECK(again.engines == info.engines && again.schedule == info.schedule);
}

template <typename Message, typename Read, typename Check>
void Feed(std::string_view bytes, const Read& read, const Check& check) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  const auto result = read(message);
  result.ok() ? check(*result) : CheckRefusal(result.status());
}

/// bfloat16's numbers come back as they were, and others as the nearest, ties to even.
void CheckPacking(std::string_view bytes) {
  const auto halves = wire::UnpackFloats(bytes, ValueType::kBFloat16, "halves");
  if (halves.ok()) CHECK(wire::PackFloats(*halves, ValueType::kBFloat16) == bytes);
  const auto values = wire::UnpackFloats(bytes, ValueType::kFloat32, "values");
  if (!values.ok()) return;
  CHECK(wire::PackFloats(*values, ValueType::kFloat32) == bytes);
  const std::string packed = wire::PackFloats(*values, ValueType::kBFloat16);
  const auto rounded = wire::UnpackFloats(packed, ValueType::kBFloat16, "rounded");
  CHECK(rounded.ok() && rounded->size() == values->size());
  for (std::size_t i = 0; i < values->size(); ++i) {
    const float value = (*values)[i], near = (*rounded)[i];
    if (!std::isfinite(value) || !std::isfinite(near)) continue;
    const double unit = std::ldexp(1.0, std::max(std::ilogb(value), -126) - 7);
    CHECK(std::abs(double{value} - near) <= unit / 2) << value << " to " << near;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer silencer;  // It tells of each name that is not UTF-8.
  FuzzInput input(data, size);
  switch (input.Take<uint8_t>() % 4) {
    case 0:
      Feed<tulip::v1::InferRequest>(input.rest(), wire::ReadRequest, CheckRequest);
      break;
    case 1:
      Feed<tulip::v1::InferResponse>(input.rest(), wire::ReadResult, CheckResult);
      break;
    case 2:
      Feed<tulip::v1::ModelInfo>(input.rest(), wire::ReadInfo, CheckInfo);
      break;
    default:
      CheckPacking(input.rest());
  }
  return 0;
}
