// What Open says of the vectors that a model gives: modules behind the pooling, heads, rounding.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "hub/open_fixture.h"

namespace hub {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OpenVectorsTest : public OpenFixture {
 protected:
  OpenVectorsTest() { WriteBertFolder(folder_); }

  /// modules.json of a Transformer and these: a type's last component, at "path" if it has one.
  void WriteModules(const std::vector<std::pair<std::string, std::string>>& modules) {
    nlohmann::json json = {{{"path", ""}, {"type", "a.Transformer"}}};
    for (const auto& [type, path] : modules)
      json.push_back({{"type", "a." + type}, {"path", path}});
    folder_.Write("modules.json", json.dump());
  }
  void WriteDense(const std::string& path, int in, int out) {
    const nlohmann::json json = {{"in_features", in},
                                 {"out_features", out},
                                 {"bias", false},
                                 {"activation_function", "torch.nn.modules.activation.Tanh"}};
    folder_.Write(path + "/config.json", json.dump()).Write(path + "/model.safetensors", "");
  }
};

TEST_F(OpenVectorsTest, Bug40_DenseModulesInARow) {
  WriteModules({{"Pooling", "1_Pooling"},
                {"Dense", "2_Dense_1792"},
                {"Dense", "3_Dense"},
                {"Normalize", "4_Normalize"}});
  WriteDense("2_Dense_1792", 32, 1792);
  WriteDense("3_Dense", 1792, 8);
  const ModelFolder model = Sound();
  ASSERT_THAT(model.dense, SizeIs(2));
  EXPECT_EQ(model.dense[0].path, "2_Dense_1792");
  EXPECT_EQ(model.dense[0].out_features, 1792);
  EXPECT_EQ(model.dense[1].weight_file, folder_.path() / "3_Dense/model.safetensors");
  EXPECT_EQ(model.dimension, 8);
  EXPECT_TRUE(model.normalize);
  EXPECT_EQ(model.outputs, Outputs(Output::kDense) | Output::kTokens);
  const std::string before = model.fingerprint;
  WriteDense("3_Dense", 1792, 16);
  EXPECT_NE(Sound().fingerprint, before);
}

TEST_F(OpenVectorsTest, Bug40_DenseModulesMustChain) {
  WriteModules({{"Pooling", "1_Pooling"}, {"Dense", "2_Dense"}, {"Dense", "3_Dense"}});
  WriteDense("2_Dense", 32, 64);
  WriteDense("3_Dense", 65, 8);
  EXPECT_EQ(Refusal(),
            "3_Dense/config.json: in_features: expected the 64 values of what stands before it, "
            "got 65");
  WriteDense("2_Dense", 33, 65);
  EXPECT_THAT(Refusal(), HasSubstr("2_Dense/config.json: in_features: expected the 32 values"));
  WriteDense("2_Dense", 32, 65);
  EXPECT_EQ(Sound().dimension, 8);
  folder_.Remove("3_Dense/model.safetensors");
  EXPECT_THAT(Refusal(), HasSubstr("3_Dense/model.safetensors: file not found"));
  EXPECT_TRUE(Sound({.weights_required = false}).dense[1].weight_file.empty());
  folder_.Remove("3_Dense");
  EXPECT_THAT(Refusal(), HasSubstr("3_Dense/config.json: file not found"));
}

TEST_F(OpenVectorsTest, SeveralPoolingModesFeedADenseModuleTogether) {
  WriteModules({{"Pooling", "1_Pooling"}, {"Dense", "2_Dense"}});
  folder_.Write("1_Pooling/config.json", R"({"pooling_mode": ["cls", "mean"]})");
  WriteDense("2_Dense", 64, 8);
  EXPECT_EQ(Sound().dimension, 8);
  EXPECT_THAT(Refusal({.pooling = PoolingMode::kCls}), HasSubstr("expected the 32 values"));
}

TEST_F(OpenVectorsTest, DenseModulesOfTokensAfterPoolingAreRefused) {
  WriteModules({{"Pooling", "1_Pooling"}, {"Dense", "2_Dense"}});
  folder_.Write("2_Dense/config.json",
                R"({"in_features": 32, "out_features": 8, "activation_function": "Identity",
                    "module_input_name": "token_embeddings"})");
  EXPECT_THAT(Refusal({.weights_required = false}),
              HasSubstr("2_Dense/config.json: module_input_name: expected sentence_embedding"));
}

TEST_F(OpenVectorsTest, WithoutPoolingDenseModulesSeeEachToken) {
  WriteModules({{"Dense", "1_Dense"}});
  WriteDense("1_Dense", 32, 16);
  const ModelFolder model = Sound();
  EXPECT_EQ(model.task, Task::kEmbedding);
  EXPECT_EQ(model.outputs, Outputs(Output::kTokens) | Output::kColbert);
  ASSERT_TRUE(model.colbert_head);
  EXPECT_TRUE(model.colbert_head->file.empty());
  ASSERT_THAT(model.colbert_head->dense, SizeIs(1));
  EXPECT_EQ(model.colbert_head->dense[0].out_features, 16);
  EXPECT_THAT(model.dense, IsEmpty());
  EXPECT_THAT(model.pooling.modes, IsEmpty());
  EXPECT_EQ(model.dimension, std::nullopt);
  WriteModules({{"Dense", "1_Dense"}, {"Normalize", "2_Normalize"}});
  folder_.Write("2_Normalize/config.json", R"({"module_input_name": "token_embeddings"})");
  EXPECT_EQ(Sound().outputs, model.outputs);
  EXPECT_EQ(Sound({.pooling = PoolingMode::kCls}).dimension, 16);
}

TEST_F(OpenVectorsTest, HeadsBesideTheModel) {
  folder_.Write("sparse_linear.pt", "").Write("colbert_linear.pt", "");
  const ModelFolder model = Sound();
  EXPECT_EQ(model.outputs,
            Outputs(Output::kDense) | Output::kTokens | Output::kSparse | Output::kColbert);
  EXPECT_EQ(model.sparse_head->file, folder_.path() / "sparse_linear.pt");
  EXPECT_EQ(model.colbert_head->file, folder_.path() / "colbert_linear.pt");
  folder_.Write("colbert_linear.safetensors", "");
  EXPECT_EQ(Sound().colbert_head->file, folder_.path() / "colbert_linear.safetensors");
  folder_.Remove("sparse_linear.pt");
  EXPECT_FALSE(Sound().outputs.Has(Output::kSparse));
}

TEST_F(OpenVectorsTest, Splade) {
  folder_.Write("modules.json", R"([{"path": "", "type": "a.MLMTransformer"},
                                    {"path": "1_SpladePooling", "type": "a.SpladePooling"}])");
  folder_.Write("1_SpladePooling/config.json", R"({"pooling_strategy": "max"})");
  const ModelFolder model = Sound();
  EXPECT_EQ(model.outputs, Outputs(Output::kSparse));
  ASSERT_TRUE(model.splade);
  EXPECT_FALSE(model.sparse_head);
  EXPECT_THAT(model.pooling.modes, IsEmpty());
  folder_.Remove("1_SpladePooling");
  EXPECT_THAT(Refusal(), HasSubstr("1_SpladePooling/config.json: file not found"));
}

TEST_F(OpenVectorsTest, QuantizersOfPplxEmbed) {
  EXPECT_EQ(Sound().quantization, Quantization::kNone);
  WriteModules({{"Pooling", "1_Pooling"}, {"FlexibleQuantizer", ""}});
  EXPECT_EQ(Sound().quantization, Quantization::kTanhInt8);
  EXPECT_FALSE(Sound().normalize);
  folder_.Remove("modules.json");
  folder_.Write("config.json", R"({"model_type": "bidirectional_pplx_qwen3", "hidden_size": 32,
                                   "max_position_embeddings": 64})");
  EXPECT_EQ(Sound().quantization, Quantization::kTanhInt8);
  EXPECT_THAT(Sound().pooling.modes, ElementsAre(PoolingMode::kMean));
}

TEST_F(OpenVectorsTest, Bug41_PoolingAndWhereItWasDecided) {
  EXPECT_EQ(Sound().pooling_source, "1_Pooling/config.json");
  EXPECT_EQ(Sound({.pooling = PoolingMode::kCls}).pooling_source, "--pooling");
  folder_.Remove("modules.json");
  EXPECT_EQ(Sound().pooling_source, "default of bert");
  for (const char* causal : {"qwen2", "qwen3", "llama", "mistral"}) {
    EXPECT_EQ(DefaultPoolingMode(causal), PoolingMode::kLastToken) << causal;
  }
  for (const char* encoder : {"bert", "modernbert", "nomic_bert", "gemma3_text", "unheard_of"}) {
    EXPECT_EQ(DefaultPoolingMode(encoder), PoolingMode::kMean) << encoder;
  }
}

TEST_F(OpenVectorsTest, UnsupportedModulesMayBeKept) {
  WriteModules({{"Pooling", "1_Pooling"}, {"Twist", "2_Twist"}, {"Normalize", "3_Normalize"}});
  EXPECT_THAT(Refusal(), HasSubstr("modules.json: module 2 (a.Twist): unknown type"));
  const ModelFolder model = Sound({.keep_unsupported = true});
  EXPECT_THAT(model.unsupported, ElementsAre(HasSubstr("module 2 (a.Twist): unknown type")));
  EXPECT_TRUE(model.normalize);
  EXPECT_THAT(Sound({.keep_unsupported = true}).pooling.modes, ElementsAre(PoolingMode::kMean));
}

}  // namespace
}  // namespace hub
