#include "wire/grpc/result_message.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "proto/tulip/v1/tulip.pb.h"
#include "wire/grpc/message_faults.h"

namespace wire {
namespace {

/// All that a model may give; the second sequence has no sparse entry, and no row of colbert.
InferenceResult MakeResult() {
  InferenceResult result;
  result.sequences = 2;
  result.dense = {.columns = 3, .values = {1, -2, 3.5F, 0, 1e-30F, 3e38F}};
  result.scores = {.columns = 1, .values = {-11.25F, 0.1F}};
  result.sparse = {.offsets = {0, 2, 2}, .ids = {5, 9}, .weights = {0.5F, 0.1F}};
  result.tokens = {.columns = 2, .offsets = {0, 1, 3}, .values = {1, 2, 3, 4, 5, 6}};
  result.colbert = {.columns = 2, .offsets = {0, 1, 1}, .values = {7, 8}};
  result.timing = {.queue_us = 12, .compute_us = 345, .batch_tokens = 512};
  result.load_tokens = 4096;
  return result;
}

tulip::v1::InferResponse MakeResultMessage(ValueType type = ValueType::kFloat32) {
  tulip::v1::InferResponse message;
  FillResult(MakeResult(), type, message);
  return message;
}

void Refused(const tulip::v1::InferResponse& message, const std::string& field) {
  ExpectRefused(message, ReadResult, field);
}

TEST(ResultMessageTest, HoldsTheWholeResult) {
  const InferenceResult result = MakeResult();
  const auto read = ReadResult(MakeResultMessage());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->sequences, result.sequences);
  EXPECT_EQ(read->dense.columns, result.dense.columns);
  EXPECT_EQ(read->dense.values, result.dense.values);
  EXPECT_EQ(read->scores.columns, result.scores.columns);
  EXPECT_EQ(read->scores.values, result.scores.values);
  EXPECT_EQ(read->sparse.offsets, result.sparse.offsets);
  EXPECT_EQ(read->sparse.ids, result.sparse.ids);
  EXPECT_EQ(read->sparse.weights, result.sparse.weights);
  EXPECT_EQ(read->tokens.columns, result.tokens.columns);
  EXPECT_EQ(read->tokens.offsets, result.tokens.offsets);
  EXPECT_EQ(read->tokens.values, result.tokens.values);
  EXPECT_EQ(read->colbert.columns, result.colbert.columns);
  EXPECT_EQ(read->colbert.offsets, result.colbert.offsets);
  EXPECT_EQ(read->colbert.values, result.colbert.values);
  EXPECT_EQ(read->timing.queue_us, result.timing.queue_us);
  EXPECT_EQ(read->timing.compute_us, result.timing.compute_us);
  EXPECT_EQ(read->timing.batch_tokens, result.timing.batch_tokens);
  EXPECT_EQ(read->load_tokens, result.load_tokens);
}

TEST(ResultMessageTest, OutputsThatWereNotAskedForStayEmpty) {
  InferenceResult result;
  result.sequences = 1;
  result.scores = {.columns = 1, .values = {2}};
  tulip::v1::InferResponse message;
  FillResult(result, ValueType::kFloat32, message);
  EXPECT_FALSE(message.has_dense() || message.has_sparse() || message.has_tokens() ||
               message.has_colbert());
  const auto read = ReadResult(message);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->dense.columns, 0);
  EXPECT_EQ(read->sparse.offsets, std::vector<int64_t>{0});
}

TEST(ResultMessageTest, RoundsVectorsAloneToBFloat16) {
  const tulip::v1::InferResponse message = MakeResultMessage(ValueType::kBFloat16);
  EXPECT_EQ(message.dense().values().size(), 12U);
  const auto read = ReadResult(message);
  ASSERT_TRUE(read.ok()) << read.status();
  const InferenceResult result = MakeResult();
  for (std::size_t i = 0; i < result.dense.values.size(); ++i) {
    const float value = result.dense.values[i];
    EXPECT_LE(std::abs(read->dense.values[i] - value), std::abs(value) / 256);
  }
  EXPECT_EQ(read->tokens.values, result.tokens.values);  // Small whole numbers fit.
  EXPECT_EQ(read->scores.values, result.scores.values);
  EXPECT_EQ(read->sparse.weights, result.sparse.weights);
}

TEST(ResultMessageTest, RoundsHalvesToEven) {
  InferenceResult result;
  result.sequences = 1;
  result.dense = {.columns = 4, .values = {0x1.01p0F, 0x1.03p0F, 0x1.0101p0F, -0.0F}};
  tulip::v1::InferResponse message;
  FillResult(result, ValueType::kBFloat16, message);
  const auto read = ReadResult(message);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->dense.values, (std::vector<float>{1, 0x1.04p0F, 0x1.02p0F, -0.0F}));
}

TEST(ResultMessageTest, RefusesRowsThatDoNotFit) {
  constexpr uint32_t kHuge = 0xffff'ffff;
  tulip::v1::InferResponse message = MakeResultMessage();
  message.set_sequences(kHuge);
  Refused(message, "sequences:");
  message = MakeResultMessage();
  message.set_sequences(0x7fff'ffff);
  Refused(message, "dense.values: 6 numbers, expected 2147483647 rows of 3");
  message = MakeResultMessage();
  message.set_sequences(3);
  Refused(message, "dense.values:");
  for (const uint32_t columns : {0U, kHuge, 1U << 31}) {
    message = MakeResultMessage();
    message.mutable_tokens()->set_columns(columns);
    Refused(message, "tokens.columns:");
  }
  for (const uint32_t columns : {1U, 4U, 0x7fff'ffffU}) {
    message = MakeResultMessage();
    message.mutable_colbert()->set_columns(columns);
    Refused(message, "colbert.values:");
  }
  message = MakeResultMessage();
  message.mutable_scores()->clear_values();
  Refused(message, "scores.values: 0 numbers, expected 2 rows of 1");
  message = MakeResultMessage();
  message.mutable_dense()->mutable_values()->pop_back();
  Refused(message, "dense.values: 23 bytes");
  message = MakeResultMessage();
  message.set_value_type(tulip::v1::VALUE_TYPE_BFLOAT16);
  Refused(message, "dense.values: 12 numbers");
  message.set_value_type(static_cast<tulip::v1::ValueType>(2));
  Refused(message, "value_type: 2");
}

TEST(ResultMessageTest, RefusesCountsThatDoNotFit) {
  tulip::v1::InferResponse message = MakeResultMessage();
  message.mutable_tokens()->mutable_rows()->resize(4);
  Refused(message, "tokens.rows: 1 entries, expected 2");
  message = MakeResultMessage();
  Overwrite(*message.mutable_tokens()->mutable_rows(), 0, -1);
  Refused(message, "tokens.rows: -1 is below 0");
  message = MakeResultMessage();
  Overwrite(*message.mutable_colbert()->mutable_rows(), 1, std::numeric_limits<int32_t>::max());
  Refused(message, "colbert.values:");
  message = MakeResultMessage();
  Overwrite(*message.mutable_sparse()->mutable_entries(), 1, 1);
  Refused(message, "sparse.entries: their sum is 3, but there are 2 ids");
  message = MakeResultMessage();
  message.mutable_sparse()->mutable_weights()->resize(4);
  Refused(message, "sparse.weights: 1 entries, expected 2");
  message = MakeResultMessage();
  message.set_load_tokens(-1);
  Refused(message, "load_tokens:");
}

TEST(ResultMessageTest, RefusesNumbersThatAreNone) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), kInfinite, -kInfinite}) {
    InferenceResult result = MakeResult();
    result.dense.values[5] = wrong;
    tulip::v1::InferResponse message;
    FillResult(result, ValueType::kFloat32, message);
    Refused(message, "dense.values: number 5 is");
    result = MakeResult();
    result.sparse.weights[1] = wrong;
    message.Clear();
    FillResult(result, ValueType::kFloat32, message);
    Refused(message, "sparse.weights: number 1 is");
  }
}

TEST(ResultMessageTest, MutatedMessagesAreReadOrRefused) {
  ExpectTotal(MakeResultMessage(), ReadResult);
  ExpectTotal(MakeResultMessage(ValueType::kBFloat16), ReadResult);
}

}  // namespace
}  // namespace wire
