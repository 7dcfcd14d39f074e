#include "hub/dense_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hub/temp_folder.h"

namespace hub {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<DenseModule> Read(const std::string& json) {
  TempFolder folder;
  folder.Write("2_Dense/config.json", json).Write("2_Dense/model.safetensors", "");
  return ReadDenseModule(folder.path(), "2_Dense", true);
}

std::string Refusal(const std::string& json) { return std::string(Read(json).status().message()); }

std::string WithActivation(const std::string& python_path) {
  return R"({"in_features": 4, "out_features": 6, "activation_function": ")" + python_path + "\"}";
}

TEST(ReadDenseModule, Bug40_EveryKey) {
  const absl::StatusOr<DenseModule> module =
      Read(R"({"in_features": 1024, "out_features": 1792, "bias": false,
               "activation_function": "torch.nn.modules.activation.Tanh",
               "module_input_name": "token_embeddings"})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->path, "2_Dense");
  EXPECT_EQ(module->in_features, 1024);
  EXPECT_EQ(module->out_features, 1792);
  EXPECT_FALSE(module->bias);
  EXPECT_EQ(module->activation, Activation::kTanh);
  EXPECT_TRUE(module->of_tokens);
  EXPECT_EQ(module->weight_file.filename(), "model.safetensors");
}

TEST(ReadDenseModule, TheLastComponentNamesTheActivation) {
  for (const Activation activation : {Activation::kIdentity, Activation::kTanh, Activation::kRelu,
                                      Activation::kGelu, Activation::kSilu, Activation::kSigmoid}) {
    const std::string name = ActivationName(activation);
    EXPECT_EQ(Read(WithActivation("torch.nn.modules.somewhere." + name))->activation, activation);
    EXPECT_EQ(Read(WithActivation(name))->activation, activation);
  }
  EXPECT_TRUE(Read(WithActivation("Tanh"))->bias);
  EXPECT_FALSE(Read(WithActivation("Tanh"))->of_tokens);
}

TEST(ReadDenseModule, RefusalsNameFileAndKey) {
  EXPECT_EQ(Refusal(WithActivation("torch.nn.Mish")),
            "2_Dense/config.json: activation_function: unknown activation \"torch.nn.Mish\", "
            "expected one of Identity, Tanh, ReLU, GELU, SiLU, Sigmoid");
  EXPECT_THAT(Refusal(R"({"out_features": 4})"), HasSubstr("2_Dense/config.json: in_features"));
  EXPECT_THAT(Refusal(R"({"in_features": 4, "out_features": 0})"), HasSubstr("out_features"));
  EXPECT_THAT(Refusal(R"({"in_features": 4, "out_features": 4})"),
              HasSubstr("activation_function: missing"));
  EXPECT_THAT(Refusal(R"({"in_features": 4, "out_features": 4, "use_residual": true,
                          "activation_function": "Identity"})"),
              HasSubstr("use_residual: residual Dense modules are not supported"));
  EXPECT_THAT(Refusal(R"({"in_features": 4, "out_features": 4, "module_input_name": "image",
                          "activation_function": "Identity"})"),
              HasSubstr("module_input_name: expected sentence_embedding or token_embeddings"));
}

TEST(ReadDenseModule, WeightsInEitherFormat) {
  TempFolder folder;
  folder.Write("2_Dense/config.json", WithActivation("Identity"));
  const auto read = [&](bool required) {
    return ReadDenseModule(folder.path(), "2_Dense", required);
  };
  EXPECT_EQ(std::string(read(true).status().message()),
            "2_Dense/model.safetensors: file not found, nor 2_Dense/pytorch_model.bin, though "
            "modules.json names that folder");
  EXPECT_TRUE(read(false)->weight_file.empty());
  folder.Write("2_Dense/pytorch_model.bin", "");
  EXPECT_EQ(read(true)->weight_file, folder.path() / "2_Dense/pytorch_model.bin");
  folder.Write("2_Dense/model.safetensors", "");
  EXPECT_EQ(read(true)->weight_file, folder.path() / "2_Dense/model.safetensors");
}

}  // namespace
}  // namespace hub
