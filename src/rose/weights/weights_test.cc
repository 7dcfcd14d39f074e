#include "rose/weights/weights.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "rose/weights/convert.h"

namespace rose {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Writes safetensors files of small tensors into a folder that goes with the test.
class WeightsTest : public ::testing::Test {
 protected:
  struct Stored {
    std::string name;
    std::vector<int64_t> shape;
    std::string dtype = "F32";
  };

  WeightsTest() {
    std::string name = (fs::temp_directory_path() / "weights_test_XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr) << name;
    folder_ = name;
  }
  ~WeightsTest() override { fs::remove_all(folder_); }

  /// Every element of the n-th tensor has the value n.
  fs::path Write(const std::string& name, const std::vector<Stored>& tensors) {
    nlohmann::json header;
    std::string data;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const std::size_t begin = data.size();
      int64_t elements = 1;
      for (int64_t extent : tensors[i].shape) elements *= extent;
      const auto value = static_cast<float>(i);
      const int64_t value_bytes = tensors[i].dtype == "I64" ? 8 : 4;
      std::string bytes(reinterpret_cast<const char*>(&value), sizeof(value));
      bytes.resize(static_cast<std::size_t>(value_bytes));
      for (int64_t j = 0; j < elements; ++j) data += bytes;
      header[tensors[i].name] = {{"dtype", tensors[i].dtype},
                                 {"shape", tensors[i].shape},
                                 {"data_offsets", {begin, data.size()}}};
    }
    const std::string text = header.dump();
    std::ofstream file(folder_ / name, std::ios::binary);
    for (int i = 0; i < 8; ++i) file << static_cast<char>(text.size() >> (8 * i));
    file << text << data;
    return folder_ / name;
  }

  std::unique_ptr<Weights> Open(const std::vector<fs::path>& files) {
    auto weights = Weights::Open(files);
    EXPECT_TRUE(weights.ok()) << weights.status();
    return weights.ok() ? *std::move(weights) : nullptr;
  }

  fs::path folder_;
};

std::vector<float> Values(const HostTensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
  Widen(tensor, values);
  return values;
}

template <typename T>
std::string Message(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}

TEST_F(WeightsTest, ReadsByNameOverSeveralFiles) {
  const auto weights = Open(
      {Write("a.safetensors", {{"x", {2}}}), Write("b.safetensors", {{"y", {1}}, {"z", {1, 2}}})});
  const auto z = weights->Get("z", {1, 2});
  ASSERT_TRUE(z.ok()) << z.status();
  EXPECT_EQ(z->name, "z");
  EXPECT_THAT(z->shape, ElementsAre(1, 2));
  EXPECT_THAT(Values(*z), ElementsAre(1, 1));
  EXPECT_THAT(std::string(weights->Finish().message()),
              HasSubstr("2 tensors that this model does not use: x, y"));
  EXPECT_TRUE(weights->Get("x", {2}).ok());
  EXPECT_TRUE(weights->Get("y", {1}).ok());
  EXPECT_TRUE(weights->Finish().ok());
}

TEST_F(WeightsTest, ATensorOutlivesItsSource) {
  auto weights = Open({Write("a.safetensors", {{"x", {1}}, {"y", {2}}})});
  const auto y = weights->Get("y", {2});
  weights.reset();
  EXPECT_THAT(Values(*y), ElementsAre(1, 1));
}

TEST_F(WeightsTest, MissingTensorNamesFileAndTensor) {
  const auto weights = Open({Write("a.safetensors", {{"x", {1}}})});
  const auto missing = weights->Get("encoder.w", {1});
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(missing), "a.safetensors: encoder.w: no such tensor");
}

TEST_F(WeightsTest, WrongShapeAndTypeNameWhatWasExpected) {
  const auto weights = Open({Write("a.safetensors", {{"x", {64, 3}}, {"ids", {2}, "I64"}})});
  EXPECT_EQ(Message(weights->Get("x", {512, 3})),
            "a.safetensors: x: expected shape [512, 3], got [64, 3]");
  EXPECT_EQ(Message(weights->Get("ids", {2})),
            "a.safetensors: ids: expected F32, F16 or BF16, got I64");
}

TEST_F(WeightsTest, PrefixesAreTriedInOrderAfterTheNameItself) {
  const auto weights =
      Open({Write("a.safetensors", {{"bert.x", {1}}, {"x", {1}}, {"model.y", {1}}})});
  EXPECT_FALSE(weights->Has("y"));
  weights->AcceptPrefixes({"bert.", "model."});
  EXPECT_TRUE(weights->Has("y"));
  EXPECT_FALSE(weights->Has("z"));
  EXPECT_THAT(Values(*weights->Get("x", {1})), ElementsAre(1));
  EXPECT_THAT(Values(*weights->Get("y", {1})), ElementsAre(2));
  EXPECT_THAT(std::string(weights->Finish().message()), HasSubstr("1 tensors that this model does "
                                                                  "not use: bert.x"));
}

TEST_F(WeightsTest, OldNamesOfNorms) {
  const auto weights = Open({Write("a.safetensors", {{"bert.e.LayerNorm.gamma", {1}},
                                                     {"bert.e.LayerNorm.beta", {1}},
                                                     {"layers.0.norm1.gamma", {1}},
                                                     {"dense.gamma", {1}}})});
  weights->AcceptPrefixes({"bert."});
  EXPECT_THAT(Values(*weights->Get("e.LayerNorm.weight", {1})), ElementsAre(0));
  EXPECT_THAT(Values(*weights->Get("e.LayerNorm.bias", {1})), ElementsAre(1));
  EXPECT_THAT(Values(*weights->Get("layers.0.norm1.weight", {1})), ElementsAre(2));
  EXPECT_FALSE(weights->Has("dense.weight"));
  weights->Skip("dense.gamma");
  EXPECT_TRUE(weights->Finish().ok());
}

TEST_F(WeightsTest, ATiedTensorIsReadTwice) {
  const auto weights = Open({Write("a.safetensors", {{"x", {1}}, {"table", {2}}})});
  EXPECT_EQ(weights->bytes(), 12);
  EXPECT_THAT(Values(*weights->GetTied("table", std::vector<int64_t>{2})), ElementsAre(1, 1));
  EXPECT_THAT(Values(*weights->Get("table", {2})), ElementsAre(1, 1));
  EXPECT_THAT(Values(*weights->GetTied("table", std::vector<int64_t>{2})), ElementsAre(1, 1));
  EXPECT_THAT(Message(weights->GetTied("y", std::vector<int64_t>{2})), HasSubstr("y: no such"));
  EXPECT_THAT(std::string(weights->Finish().message()), HasSubstr("does not use: x"));
  const auto random = Weights::Random(1);
  EXPECT_EQ(Values(*random->Get("t", {3})), Values(*random->GetTied("t", std::vector<int64_t>{3})));
}

TEST_F(WeightsTest, FilesOfBothKindsTogether) {
  const fs::path folder = fs::path(PARTERRE_TEST_DATA) / "weights";
  const auto weights = Open({Write("a.safetensors", {{"x", {2}}}), folder / "linear.pt"});
  EXPECT_THAT(Values(*weights->Get("x", {2})), ElementsAre(0, 0));
  EXPECT_THAT(Values(*weights->Get("weight", {2, 3})), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(Values(*weights->Get("bias", {2})), ElementsAre(-1, 0.5));
  EXPECT_TRUE(weights->Finish().ok());
  const std::vector<fs::path> twice = {folder / "linear.pt", folder / "nested.pt"};
  EXPECT_EQ(Message(Weights::Open(twice)), "nested.pt: weight: also stands in linear.pt");
}

TEST_F(WeightsTest, ACopiedViewOutlivesItsSource) {
  const fs::path file = fs::path(PARTERRE_TEST_DATA) / "weights/views.bin";
  auto weights = Open({file});
  const auto transposed = weights->Get("transposed", {3, 5});
  weights.reset();
  EXPECT_THAT(Values(*transposed), ElementsAre(0, 3, 6, 9, 12, 1, 4, 7, 10, 13, 2, 5, 8, 11, 14));
}

TEST_F(WeightsTest, IntegersMayStandThereUnread) {
  const auto weights = Open({fs::path(PARTERRE_TEST_DATA) / "weights/types.bin"});
  EXPECT_EQ(Message(weights->Get("a.F64", {2, 2})),
            "types.bin: a.F64: expected F32, F16 or BF16, got F64");
  EXPECT_THAT(Values(*weights->Get("a.BF16", {2, 2})), ElementsAre(0, 1, 2, 3));
  weights->Skip("a.*");
  EXPECT_TRUE(weights->Finish().ok());
}

TEST_F(WeightsTest, SkipsByPatternWithAndWithoutPrefix) {
  const auto weights = Open({Write("a.safetensors", {{"bert.embeddings.position_ids", {1}, "I64"},
                                                     {"pooler.dense.weight", {1}},
                                                     {"pooler.dense.bias", {1}},
                                                     {"spooler.x", {1}}})});
  weights->AcceptPrefixes({"bert."});
  weights->Skip("embeddings.position_ids");
  weights->Skip("pooler.*");
  weights->Skip("nothing.like.it");
  EXPECT_THAT(std::string(weights->Finish().message()),
              HasSubstr("1 tensors that this model does not use: spooler.x"));
  weights->Skip("spooler.*");
  EXPECT_TRUE(weights->Finish().ok());
}

TEST_F(WeightsTest, FinishShowsAFewOfMany) {
  std::vector<Stored> many(9, {.name = "", .shape = {1}});
  for (std::size_t i = 0; i < many.size(); ++i) many[i].name = fmt::format("t{}", i);
  const std::string message(Open({Write("a.safetensors", many)})->Finish().message());
  EXPECT_THAT(message, HasSubstr("9 tensors that this model does not use: t0, t1, t2, t3, t4, …"));
}

TEST_F(WeightsTest, ATensorInTwoFilesIsRefused) {
  const std::vector<fs::path> files = {Write("a.safetensors", {{"x", {1}}}),
                                       Write("b.safetensors", {{"x", {1}}})};
  EXPECT_EQ(Message(Weights::Open(files)), "b.safetensors: x: also stands in a.safetensors");
}

using WeightsDeathTest = WeightsTest;

TEST_F(WeightsDeathTest, ASecondReadIsOurOwnMistake) {
  const auto weights = Open({Write("a.safetensors", {{"x", {1}}})});
  EXPECT_TRUE(weights->Get("x", {1}).ok());
  EXPECT_DEATH((void)weights->Get("x", {1}), "x is read twice");
  const auto random = Weights::Random(1);
  EXPECT_TRUE(random->Get("x", {1}).ok());
  EXPECT_DEATH((void)random->Get("x", {1}), "x is read twice");
}

TEST(RandomWeights, DependOnSeedAndNameAlone) {
  const auto read = [](uint64_t seed, const char* name) {
    return Values(*Weights::Random(seed)->Get(name, {3, 5}));
  };
  const auto first = Weights::Random(1);
  (void)first->Get("other.weight", {7});
  EXPECT_EQ(Values(*first->Get("a.weight", {3, 5})), read(1, "a.weight"));
  EXPECT_NE(read(1, "a.weight"), read(2, "a.weight"));
  EXPECT_NE(read(1, "a.weight"), read(1, "b.weight"));
}

TEST(RandomWeights, AreCentredWithTheUsualDeviation) {
  const std::vector<float> values = Values(*Weights::Random(7)->Get("dense.weight", {1000, 100}));
  double sum = 0, squares = 0;
  for (float value : values) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 0.0, 3e-4);
  EXPECT_NEAR(std::sqrt(squares / count), 0.02, 2e-4);
}

TEST(RandomWeights, NormsStartAtTheIdentity) {
  const auto weights = Weights::Random(7);
  for (const char* norm : {"e.LayerNorm", "layers.0.input_layernorm", "norm"}) {
    EXPECT_THAT(Values(*weights->Get(std::string(norm) + ".weight", {9})), Each(1.0F));
    EXPECT_THAT(Values(*weights->Get(std::string(norm) + ".bias", {9})), Each(0.0F));
  }
  EXPECT_THAT(Values(*weights->Get("LayerNormish.dense.bias", {9})), Each(Not(0.0F)));
}

TEST(RandomWeights, NothingIsOptionalOrUnread) {
  const auto weights = Weights::Random(7);
  weights->AcceptPrefixes({"bert."});
  weights->Skip("pooler.*");
  EXPECT_FALSE(weights->Has("lm_head.weight"));
  EXPECT_TRUE(weights->Finish().ok());
}

TEST(RandomWeights, ShapesBeyondAnyMachineAreRefused) {
  EXPECT_THAT(Message(Weights::Random(7)->Get("w", {2147483647, 2147483647})),
              HasSubstr("w: shape [2147483647, 2147483647] is too large"));
  EXPECT_FALSE(Weights::Random(7)->Get("w", {2147483647, 2147483647, 2147483647}).ok());
}

}  // namespace
}  // namespace rose
