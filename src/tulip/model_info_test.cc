#include "tulip/model_info.h"

#include <gtest/gtest.h>

#include <vector>

namespace tulip {
namespace {

TEST(DescribeEngine, SaysWhatTheEngineSays) {
  rose::EngineInfo engine = {.family = "bert",
                             .pooling = "cls+mean",
                             .fingerprint = "abc123",
                             .device = "cpu",
                             .dtype = "float32",
                             .isa = "avx2",
                             .max_length = 256,
                             .vocabulary_size = 30522,
                             .type_vocabulary_size = 2,
                             .step_tokens_max = 16384,
                             .saturation_tokens = 512,
                             .batch_curve = {{16, 900}, {512, 9000}},
                             .memory_bytes = 1 << 20};
  engine.outputs[hub::Output::kDense] = {.columns = 768};
  engine.outputs[hub::Output::kColbert] = {.columns = 128, .per_token = true};
  const wire::ModelInfo info = DescribeEngine(engine, "served");
  EXPECT_EQ(info.name, "served");
  EXPECT_EQ(info.family, "bert");
  EXPECT_EQ(info.dtype, "float32");
  EXPECT_EQ(info.device, "cpu");
  EXPECT_EQ(info.pooling, "cls+mean");
  EXPECT_EQ(info.fingerprint, "abc123");
  EXPECT_EQ(info.outputs, hub::Outputs(hub::Output::kDense) | hub::Output::kColbert);
  EXPECT_EQ(info.dimension, 768);
  EXPECT_EQ(info.labels, 0);
  EXPECT_EQ(info.hidden_size, 0);
  EXPECT_EQ(info.colbert_dimension, 128);
  EXPECT_EQ(info.max_length, 256);
  EXPECT_EQ(info.vocabulary_size, 30522);
  EXPECT_EQ(info.type_vocabulary_size, 2);
  EXPECT_EQ(info.max_batch_tokens, 16384);
  EXPECT_EQ(info.saturation_tokens, 512);
  EXPECT_EQ(info.batch_curve, engine.batch_curve);
  EXPECT_EQ(info.memory_bytes, 1 << 20);
  EXPECT_EQ(info.engines, 1);
}

TEST(DescribeModel, JoinsWhatDiffersAndSumsMemoryAndEngines) {
  std::vector<wire::ModelInfo> replicas(3);
  for (wire::ModelInfo& replica : replicas) {
    replica.name = "served";
    replica.dtype = "bfloat16";
    replica.memory_bytes = 100;
  }
  replicas[0].device = "cuda:1";
  replicas[1].device = "cuda:0";
  replicas[2].device = "cuda:1";
  replicas[1].saturation_tokens = 7;
  const wire::ModelInfo model = DescribeModel(replicas);
  EXPECT_EQ(model.name, "served");
  EXPECT_EQ(model.device, "cuda:1, cuda:0");
  EXPECT_EQ(model.dtype, "bfloat16");
  EXPECT_EQ(model.memory_bytes, 300);
  EXPECT_EQ(model.engines, 3);
  EXPECT_EQ(model.saturation_tokens, 0);
}

}  // namespace
}  // namespace tulip
