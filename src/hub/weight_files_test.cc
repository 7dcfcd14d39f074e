#include "hub/weight_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hub/temp_folder.h"

namespace hub {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Refusal(const TempFolder& folder) {
  return std::string(FindWeightFiles(folder.path()).status().message());
}

TEST(FindWeightFiles, OneFile) {
  TempFolder folder;
  folder.Write("model.safetensors", "");
  EXPECT_THAT(*FindWeightFiles(folder.path()), ElementsAre(folder.path() / "model.safetensors"));
}

TEST(FindWeightFiles, ShardsOfTheIndexSortedAndOnce) {
  TempFolder folder;
  folder.Write("b.safetensors", "").Write("a.safetensors", "").Write("model.safetensors", "");
  folder.Write("model.safetensors.index.json",
               R"({"weight_map": {"x": "b.safetensors", "y": "a.safetensors",
                                  "z": "b.safetensors"}})");
  EXPECT_THAT(*FindWeightFiles(folder.path()),
              ElementsAre(folder.path() / "a.safetensors", folder.path() / "b.safetensors"));
}

TEST(FindWeightFiles, PytorchFilesWhereThereAreNoSafetensors) {
  TempFolder folder;
  folder.Write("pytorch_model.bin", "");
  EXPECT_THAT(*FindWeightFiles(folder.path()), ElementsAre(folder.path() / "pytorch_model.bin"));
  folder.Write("b.bin", "").Write("a.bin", "");
  folder.Write("pytorch_model.bin.index.json", R"({"weight_map": {"x": "b.bin", "y": "a.bin"}})");
  EXPECT_THAT(*FindWeightFiles(folder.path()),
              ElementsAre(folder.path() / "a.bin", folder.path() / "b.bin"));
  folder.Write("model.safetensors", "");
  EXPECT_THAT(*FindWeightFiles(folder.path()), ElementsAre(folder.path() / "model.safetensors"));
}

TEST(FindWeightFiles, WhatCannotBeSeenIsNotPassedOver) {
  TempFolder folder;
  std::filesystem::create_symlink("model.safetensors", folder.path() / "model.safetensors");
  folder.Write("pytorch_model.bin", "");
  EXPECT_THAT(Refusal(folder), HasSubstr("model.safetensors: Too many levels of symbolic links"));
}

TEST(FindWeightFiles, AShardThatLeavesTheFolderIsRefused) {
  TempFolder folder;
  for (const char* name : {"../ok/model.safetensors", "/etc/passwd", "x/../../y"}) {
    folder.Write("model.safetensors.index.json",
                 std::string(R"({"weight_map": {"x": ")") + name + "\"}}");
    EXPECT_EQ(Refusal(folder), std::string("model.safetensors.index.json: \"") + name +
                                   "\" leaves the model folder");
  }
}

TEST(FindWeightFiles, MissingShardsAndFilesAreNamed) {
  TempFolder folder;
  EXPECT_THAT(Refusal(folder),
              HasSubstr("model.safetensors: file not found, nor model.safetensors.index.json, "
                        "pytorch_model.bin or pytorch_model.bin.index.json"));
  EXPECT_EQ(FindWeightFiles(folder.path()).status().code(), absl::StatusCode::kNotFound);
  folder.Write("model.safetensors.index.json", R"({"weight_map": {"x": "a.safetensors"}})");
  EXPECT_THAT(Refusal(folder), HasSubstr("index.json: a.safetensors: file not found"));
  EXPECT_EQ(FindWeightFiles(folder.path()).status().code(), absl::StatusCode::kInvalidArgument);
  folder.Write("model.safetensors.index.json", R"({"weight_map": {}})");
  EXPECT_THAT(Refusal(folder), HasSubstr("index.json: weight_map: expected the tensors"));
}

TEST(FindWeightFiles, Bug45_LinksAreFollowedBrokenOnesNamed) {
  TempFolder folder;
  folder.Write("blobs/0123", "");
  std::filesystem::create_symlink("blobs/0123", folder.path() / "model.safetensors");
  EXPECT_TRUE(FindWeightFiles(folder.path()).ok());
  folder.Remove("blobs/0123");
  EXPECT_THAT(Refusal(folder), HasSubstr("model.safetensors: broken link"));
}

}  // namespace
}  // namespace hub
