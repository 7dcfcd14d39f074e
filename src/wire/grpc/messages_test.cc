#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "proto/tulip/v1/tulip.pb.h"
#include "wire/grpc/info_message.h"
#include "wire/grpc/request_message.h"
#include "wire/grpc/result_message.h"

namespace wire {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

InferenceRequest MakeRequest() {
  InferenceRequest request;
  request.model = "m";
  request.ids = {1, 2, 3, 4, 5, 2'000'000'000};
  request.lengths = {1, 3, 2};
  request.type_ids = {0, 0, 1, 1, 0, 1};
  request.prompt_lengths = {0, 3, 1};
  request.outputs = hub::Outputs(hub::Output::kDense) | hub::Output::kColbert;
  request.normalize = false;
  return request;
}

tulip::v1::InferRequest MakeRequestMessage() {
  tulip::v1::InferRequest message;
  FillRequest(MakeRequest(), ValueType::kFloat32, message);
  return message;
}

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

ModelInfo MakeInfo() {
  ModelInfo info;
  info.name = "m";
  info.family = "bert";
  info.dtype = "float32";
  info.device = "cpu";
  info.pooling = "mean";
  info.fingerprint = "f00d";
  info.outputs = hub::Outputs(hub::Output::kDense) | hub::Output::kTokens;
  info.dimension = 384;
  info.hidden_size = 384;
  info.max_length = 512;
  info.vocabulary_size = 30'522;
  info.type_vocabulary_size = 2;
  info.max_batch_tokens = 16'384;
  info.saturation_tokens = 512;
  info.batch_curve = {{16, 100}, {512, 900}};
  info.memory_bytes = 90'000'000;
  return info;
}

/// Writes one number over the packed ones.
void Overwrite(std::string& bytes, std::size_t index, int32_t value) {
  bytes.replace(index * sizeof(value), sizeof(value), PackInts({&value, 1}));
}

void ExpectRefused(const tulip::v1::InferRequest& message, const std::string& field) {
  const auto read = ReadRequest(message);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << field;
  EXPECT_THAT(std::string(read.status().message()), StartsWith(field));
}

void ExpectRefused(const tulip::v1::InferResponse& message, const std::string& field) {
  const auto read = ReadResult(message);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << field;
  EXPECT_THAT(std::string(read.status().message()), StartsWith(field));
}

TEST(RequestMessageTest, HoldsTheWholeRequest) {
  for (const ValueType type : {ValueType::kFloat32, ValueType::kBFloat16}) {
    const InferenceRequest request = MakeRequest();
    tulip::v1::InferRequest message;
    FillRequest(request, type, message);
    const auto read = ReadRequest(message);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->request.model, request.model);
    EXPECT_EQ(read->request.ids, request.ids);
    EXPECT_EQ(read->request.lengths, request.lengths);
    EXPECT_EQ(read->request.type_ids, request.type_ids);
    EXPECT_EQ(read->request.prompt_lengths, request.prompt_lengths);
    EXPECT_EQ(read->request.outputs, request.outputs);
    EXPECT_EQ(read->request.normalize, request.normalize);
    EXPECT_EQ(read->value_type, type);
  }
}

TEST(RequestMessageTest, WhatIsAbsentHasItsDefault) {
  tulip::v1::InferRequest message = MakeRequestMessage();
  message.clear_normalize();
  message.clear_type_ids();
  message.clear_prompt_lengths();
  const auto read = ReadRequest(message);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->request.normalize);
  EXPECT_TRUE(read->request.type_ids.empty());
  EXPECT_TRUE(read->request.prompt_lengths.empty());
}

TEST(RequestMessageTest, IdsAreLittleEndian) {
  InferenceRequest request = MakeRequest();
  request.ids = {0x01020304};
  tulip::v1::InferRequest message;
  FillRequest(request, ValueType::kFloat32, message);
  EXPECT_EQ(message.ids(), "\x04\x03\x02\x01");
}

TEST(RequestMessageTest, RefusesBytesThatAreNoWholeNumbers) {
  tulip::v1::InferRequest message = MakeRequestMessage();
  message.mutable_ids()->pop_back();
  ExpectRefused(message, "ids: 23 bytes, expected a multiple of 4");
  message = MakeRequestMessage();
  message.mutable_lengths()->push_back('\0');
  ExpectRefused(message, "lengths: 13 bytes");
  message = MakeRequestMessage();
  message.set_type_ids("abc");
  ExpectRefused(message, "type_ids: 3 bytes");
  message = MakeRequestMessage();
  message.set_prompt_lengths("abcde");
  ExpectRefused(message, "prompt_lengths: 5 bytes");
}

TEST(RequestMessageTest, RefusesLengthsThatDoNotPartTheIds) {
  tulip::v1::InferRequest message = MakeRequestMessage();
  message.clear_lengths();
  ExpectRefused(message, "lengths: empty");
  for (const int32_t length : {0, -1, std::numeric_limits<int32_t>::min()}) {
    message = MakeRequestMessage();
    Overwrite(*message.mutable_lengths(), 1, length);
    ExpectRefused(message, "lengths: sequence 1:");
  }
  for (const int32_t length : {2, 4, std::numeric_limits<int32_t>::max()}) {
    message = MakeRequestMessage();
    Overwrite(*message.mutable_lengths(), 1, length);
    ExpectRefused(message, "lengths: their sum is");
  }
  message = MakeRequestMessage();
  message.clear_ids();
  ExpectRefused(message, "lengths: their sum is 6, but there are 0 ids");
}

TEST(RequestMessageTest, RefusesAWrongNumberOfEntries) {
  tulip::v1::InferRequest message = MakeRequestMessage();
  message.mutable_type_ids()->resize(20);
  ExpectRefused(message, "type_ids: 5 entries, expected 6");
  message = MakeRequestMessage();
  message.mutable_prompt_lengths()->resize(8);
  ExpectRefused(message, "prompt_lengths: 2 entries, expected 3");
  message = MakeRequestMessage();
  Overwrite(*message.mutable_prompt_lengths(), 1, 4);
  ExpectRefused(message, "prompt_lengths: sequence 1: 4, expected 0 to 3");
  message = MakeRequestMessage();
  Overwrite(*message.mutable_prompt_lengths(), 2, -1);
  ExpectRefused(message, "prompt_lengths: sequence 2:");
}

TEST(RequestMessageTest, RefusesUnknownNumbersOfEnumerations) {
  tulip::v1::InferRequest message = MakeRequestMessage();
  message.clear_outputs();
  ExpectRefused(message, "outputs: empty");
  for (const int number : {0, 6, -1, std::numeric_limits<int>::max()}) {
    message = MakeRequestMessage();
    message.mutable_outputs()->Add(number);
    ExpectRefused(message, "outputs: " + std::to_string(number));
  }
  message = MakeRequestMessage();
  message.set_value_type(static_cast<tulip::v1::ValueType>(7));
  ExpectRefused(message, "value_type: 7");
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
  ExpectRefused(message, "sequences:");
  message = MakeResultMessage();
  message.set_sequences(0x7fff'ffff);
  ExpectRefused(message, "dense.values: 6 numbers, expected 2147483647 rows of 3");
  message = MakeResultMessage();
  message.set_sequences(3);
  ExpectRefused(message, "dense.values:");
  for (const uint32_t columns : {0U, kHuge, 1U << 31}) {
    message = MakeResultMessage();
    message.mutable_tokens()->set_columns(columns);
    ExpectRefused(message, "tokens.columns:");
  }
  for (const uint32_t columns : {1U, 4U, 0x7fff'ffffU}) {
    message = MakeResultMessage();
    message.mutable_colbert()->set_columns(columns);
    ExpectRefused(message, "colbert.values:");
  }
  message = MakeResultMessage();
  message.mutable_scores()->clear_values();
  ExpectRefused(message, "scores.values: 0 numbers, expected 2 rows of 1");
  message = MakeResultMessage();
  message.mutable_dense()->mutable_values()->pop_back();
  ExpectRefused(message, "dense.values: 23 bytes");
  message = MakeResultMessage();
  message.set_value_type(tulip::v1::VALUE_TYPE_BFLOAT16);
  ExpectRefused(message, "dense.values: 12 numbers");
  message.set_value_type(static_cast<tulip::v1::ValueType>(2));
  ExpectRefused(message, "value_type: 2");
}

TEST(ResultMessageTest, RefusesCountsThatDoNotFit) {
  tulip::v1::InferResponse message = MakeResultMessage();
  message.mutable_tokens()->mutable_rows()->resize(4);
  ExpectRefused(message, "tokens.rows: 1 entries, expected 2");
  message = MakeResultMessage();
  Overwrite(*message.mutable_tokens()->mutable_rows(), 0, -1);
  ExpectRefused(message, "tokens.rows: -1 is below 0");
  message = MakeResultMessage();
  Overwrite(*message.mutable_colbert()->mutable_rows(), 1, std::numeric_limits<int32_t>::max());
  ExpectRefused(message, "colbert.values:");
  message = MakeResultMessage();
  Overwrite(*message.mutable_sparse()->mutable_entries(), 1, 1);
  ExpectRefused(message, "sparse.entries: their sum is 3, but there are 2 ids");
  message = MakeResultMessage();
  message.mutable_sparse()->mutable_weights()->resize(4);
  ExpectRefused(message, "sparse.weights: 1 entries, expected 2");
  message = MakeResultMessage();
  message.set_load_tokens(-1);
  ExpectRefused(message, "load_tokens:");
}

TEST(InfoMessageTest, HoldsTheWholeInfo) {
  const ModelInfo info = MakeInfo();
  tulip::v1::ModelInfo message;
  FillInfo(info, message);
  const auto read = ReadInfo(message);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name, info.name);
  EXPECT_EQ(read->family, info.family);
  EXPECT_EQ(read->dtype, info.dtype);
  EXPECT_EQ(read->device, info.device);
  EXPECT_EQ(read->pooling, info.pooling);
  EXPECT_EQ(read->fingerprint, info.fingerprint);
  EXPECT_EQ(read->outputs, info.outputs);
  EXPECT_EQ(read->dimension, info.dimension);
  EXPECT_EQ(read->labels, info.labels);
  EXPECT_EQ(read->hidden_size, info.hidden_size);
  EXPECT_EQ(read->colbert_dimension, info.colbert_dimension);
  EXPECT_EQ(read->max_length, info.max_length);
  EXPECT_EQ(read->vocabulary_size, info.vocabulary_size);
  EXPECT_EQ(read->type_vocabulary_size, info.type_vocabulary_size);
  EXPECT_EQ(read->max_batch_tokens, info.max_batch_tokens);
  EXPECT_EQ(read->saturation_tokens, info.saturation_tokens);
  EXPECT_EQ(read->batch_curve, info.batch_curve);
  EXPECT_EQ(read->memory_bytes, info.memory_bytes);
}

TEST(InfoMessageTest, RefusesWhatNoModelCanBe) {
  const auto refusal = [](const std::function<void(ModelInfo&)>& spoil) {
    ModelInfo info = MakeInfo();
    spoil(info);
    tulip::v1::ModelInfo message;
    FillInfo(info, message);
    return std::string(ReadInfo(message).status().message());
  };
  EXPECT_THAT(refusal([](ModelInfo& info) { info.outputs = {}; }), StartsWith("outputs:"));
  EXPECT_THAT(refusal([](ModelInfo& info) { info.dimension = 0; }), StartsWith("dimension: 0"));
  EXPECT_THAT(refusal([](ModelInfo& info) { info.labels = -1; }), StartsWith("labels: -1"));
  EXPECT_THAT(refusal([](ModelInfo& info) { info.max_length = 0; }), StartsWith("max_length:"));
  EXPECT_THAT(refusal([](ModelInfo& info) { info.saturation_tokens = -5; }),
              StartsWith("saturation_tokens:"));
}

/// Bytes of a message turned over at random: what still parses is either read or refused by name.
template <typename Message, typename Read>
void ExpectTotal(const Message& sound, Read read) {
  std::mt19937 random(7);
  const std::string bytes = sound.SerializeAsString();
  for (int round = 0; round < 20'000; ++round) {
    std::string mutated = bytes;
    for (int i = 0; i < 1 + round % 3; ++i) {
      mutated[random() % mutated.size()] = static_cast<char>(random());
    }
    if (round % 5 == 0) mutated.resize(random() % mutated.size());
    Message message;
    if (!message.ParseFromString(mutated)) continue;
    const auto result = read(message);
    if (result.ok()) continue;
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(result.status().message()), HasSubstr(":"));
  }
}

TEST(MessagesTest, MutatedMessagesAreReadOrRefused) {
  const google::protobuf::LogSilencer silencer;  // It tells of each name that is not UTF-8.
  ExpectTotal(MakeRequestMessage(), ReadRequest);
  ExpectTotal(MakeResultMessage(), ReadResult);
  ExpectTotal(MakeResultMessage(ValueType::kBFloat16), ReadResult);
  tulip::v1::ModelInfo info;
  FillInfo(MakeInfo(), info);
  ExpectTotal(info, ReadInfo);
}

}  // namespace
}  // namespace wire
