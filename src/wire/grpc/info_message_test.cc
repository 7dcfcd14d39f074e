#include "wire/grpc/info_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "proto/tulip/v1/tulip.pb.h"
#include "wire/grpc/message_faults.h"

namespace wire {
namespace {

using ::testing::StartsWith;

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
  info.engines = 2;
  info.schedule = "fair";
  return info;
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
  EXPECT_EQ(read->engines, info.engines);
  EXPECT_EQ(read->schedule, info.schedule);
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
  for (const int32_t engines : {-1, 0, 1025}) {
    EXPECT_THAT(refusal([engines](ModelInfo& info) { info.engines = engines; }),
                StartsWith("engines:"));
  }
}

TEST(InfoMessageTest, MutatedMessagesAreReadOrRefused) {
  tulip::v1::ModelInfo message;
  FillInfo(MakeInfo(), message);
  ExpectTotal(message, ReadInfo);
}

}  // namespace
}  // namespace wire
