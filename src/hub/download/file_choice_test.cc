#include "hub/download/file_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hub {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const std::vector<std::string> kBgeM3 = {".gitattributes",
                                         "1_Pooling/config.json",
                                         "README.md",
                                         "colbert_linear.pt",
                                         "config.json",
                                         "config_sentence_transformers.json",
                                         "imgs/bm25.jpg",
                                         "modules.json",
                                         "onnx/config.json",
                                         "onnx/model.onnx",
                                         "onnx/tokenizer.json",
                                         "pytorch_model.bin",
                                         "sentence_bert_config.json",
                                         "sentencepiece.bpe.model",
                                         "sparse_linear.pt",
                                         "special_tokens_map.json",
                                         "tokenizer.json",
                                         "tokenizer_config.json"};

TEST(FileChoiceTest, SettingsOfAFolder) {
  EXPECT_THAT(
      SettingsFiles(kBgeM3, ""),
      UnorderedElementsAre("config.json", "config_sentence_transformers.json", "modules.json",
                           "sentence_bert_config.json", "special_tokens_map.json", "tokenizer.json",
                           "tokenizer_config.json"));
  EXPECT_THAT(SettingsFiles(kBgeM3, "1_Pooling"), ElementsAre("1_Pooling/config.json"));
  EXPECT_THAT(SettingsFiles(kBgeM3, "2_Normalize"), IsEmpty());
  EXPECT_THAT(SettingsFiles({"config.json", "vocab.txt", "tokenizer_config.json"}, ""),
              UnorderedElementsAre("config.json", "vocab.txt", "tokenizer_config.json"));
}

TEST(FileChoiceTest, SafetensorsBeforePickles) {
  EXPECT_EQ(WeightFile(kBgeM3, ""), "pytorch_model.bin");
  std::vector<std::string> files = kBgeM3;
  files.emplace_back("pytorch_model.bin.index.json");
  EXPECT_EQ(WeightFile(files, ""), "pytorch_model.bin.index.json");
  files.emplace_back("model.safetensors");
  EXPECT_EQ(WeightFile(files, ""), "model.safetensors");
  files.emplace_back("model.safetensors.index.json");
  EXPECT_EQ(WeightFile(files, ""), "model.safetensors.index.json");
  EXPECT_TRUE(IsWeightIndex(WeightFile(files, "")));
  EXPECT_EQ(WeightFile(files, "2_Dense"), "");
  files.emplace_back("2_Dense/pytorch_model.bin");
  EXPECT_EQ(WeightFile(files, "2_Dense"), "2_Dense/pytorch_model.bin");
}

TEST(FileChoiceTest, HeadsBesideTheWeights) {
  EXPECT_THAT(HeadFiles(kBgeM3), ElementsAre("sparse_linear.pt", "colbert_linear.pt"));
  std::vector<std::string> files = kBgeM3;
  files.emplace_back("sparse_linear.safetensors");
  EXPECT_THAT(HeadFiles(files), ElementsAre("sparse_linear.safetensors", "colbert_linear.pt"));
  EXPECT_THAT(HeadFiles({"model.safetensors"}), IsEmpty());
}

}  // namespace
}  // namespace hub
