#include "hub/modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hub/temp_folder.h"

namespace hub {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::optional<Modules>> Read(const char* json) {
  TempFolder folder;
  return ReadModules(folder.Write("modules.json", json).path());
}

std::string Refusal(const char* json) { return std::string(Read(json).status().message()); }

TEST(ReadModules, NoFileIsAPlainModel) {
  TempFolder folder;
  EXPECT_EQ(*ReadModules(folder.path()), std::nullopt);
}

TEST(ReadModules, OldPathsOfTheClasses) {
  const auto modules = Read(R"([
      {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
      {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
      {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  ASSERT_TRUE(modules.ok()) << modules.status();
  EXPECT_EQ((*modules)->transformer_path, "");
  EXPECT_EQ((*modules)->pooling_path, "1_Pooling");
  EXPECT_TRUE((*modules)->normalize);
}

TEST(ReadModules, PathsOfTheClassesSinceVersion6) {
  const auto modules = Read(R"([
      {"path": "0_Transformer", "type": "sentence_transformers.base.modules.transformer.Transformer"},
      {"path": "pool", "type": "sentence_transformers.sentence_transformer.modules.pooling.Pooling"}])");
  ASSERT_TRUE(modules.ok()) << modules.status();
  EXPECT_EQ((*modules)->transformer_path, "0_Transformer");
  EXPECT_EQ((*modules)->pooling_path, "pool");
  EXPECT_FALSE((*modules)->normalize);
}

TEST(ReadModules, NormalizeMayHaveAFile) {
  constexpr const char* kModules = R"([{"path": "", "type": "a.Transformer"},
                                       {"path": "1_Pooling", "type": "a.Pooling"},
                                       {"path": "2_Normalize", "type": "a.Normalize"}])";
  TempFolder folder;
  folder.Write("modules.json", kModules)
      .Write("2_Normalize/config.json", R"({"module_input_name": "sentence_embedding"})");
  EXPECT_TRUE((*ReadModules(folder.path()))->normalize);
  folder.Write("2_Normalize/config.json", R"({"module_input_name": "token_embeddings"})");
  EXPECT_EQ(std::string(ReadModules(folder.path()).status().message()),
            "2_Normalize/config.json: module_input_name: expected sentence_embedding, got "
            "token_embeddings");
}

TEST(ReadModules, Bug40_UnknownModulesAreRefusedByName) {
  EXPECT_EQ(
      Refusal(R"([{"path": "", "type": "a.Transformer"}, {"type": "st_quantize.Twist"}])"),
      "modules.json: module 1 (st_quantize.Twist): unknown type, expected one of "
      "Transformer, MLMTransformer, Pooling, Dense, Normalize, FlexibleQuantizer, SpladePooling, "
      "LogitScore");
}

TEST(ReadModules, AModuleWithSettingsHasAFolderOfItsOwn) {
  for (const char* path : {R"("")", R"(".")", R"("a/..")", "null"}) {
    const std::string json = std::string(R"([{"path": "", "type": "a.Transformer"},
                                             {"type": "a.Pooling", "path": )") +
                             path + "}]";
    EXPECT_EQ(Refusal(json.c_str()),
              "modules.json: module 1 (a.Pooling): path: expected the module's folder, got none");
  }
}

TEST(ReadModules, OrderIsChecked) {
  EXPECT_THAT(Refusal(R"([{"type": "a.Pooling"}])"),
              HasSubstr("module 0 (a.Pooling): expected a "));
  EXPECT_THAT(Refusal(R"([{"type": "a.Transformer"}, {"type": "a.Transformer"}])"),
              HasSubstr("module 1 (a.Transformer)"));
  EXPECT_THAT(Refusal(R"([{"type": "a.Transformer"}, {"path": "p", "type": "a.Normalize"},
                          {"path": "p", "type": "a.Pooling"}])"),
              HasSubstr("module 2 (a.Pooling)"));
  EXPECT_THAT(Refusal(R"([{"type": "a.Transformer"}, {"type": "a.Normalize"},
                          {"path": "p", "type": "a.Dense"}])"),
              HasSubstr("module 2 (a.Dense): expected Pooling, Dense modules, Normalize and"));
  EXPECT_THAT(Refusal(R"([{"type": "a.Transformer"}, {"path": "p", "type": "a.Pooling"},
                          {"path": "p", "type": "a.LogitScore"}])"),
              HasSubstr("module 2 (a.LogitScore): expected straight after the Transformer"));
  EXPECT_THAT(Refusal(R"([{"type": "a.Transformer"}, {"path": "p", "type": "a.SpladePooling"},
                          {"path": "p", "type": "a.Normalize"}])"),
              HasSubstr("module 2 (a.Normalize)"));
}

TEST(ReadModules, MalformedFilesAreRefused) {
  EXPECT_THAT(Refusal("{}"), HasSubstr("modules.json: expected a list"));
  EXPECT_THAT(Refusal("[]"), HasSubstr("modules.json: expected a list"));
  EXPECT_THAT(Refusal("[1]"), HasSubstr("modules.json: module 0: expected an object"));
  EXPECT_THAT(Refusal("[{}]"), HasSubstr("modules.json: module 0: type: missing"));
  EXPECT_THAT(Refusal(R"([{"type": "a.Transformer", "path": "../x"}])"),
              HasSubstr("module 0 (a.Transformer): \"../x\" leaves the model folder"));
  EXPECT_THAT(Refusal("[}"), HasSubstr("modules.json: not JSON"));
}

}  // namespace
}  // namespace hub
