#include "rose/models/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rose/core/element.h"
#include "rose/core/reference_backend.h"
#include "rose/core/reference_ops.h"
#include "rose/heads/pooled_head.h"
#include "rose/models/model_cases.h"

namespace rose {
namespace {

using ::testing::AllOf;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using Mode = hub::PoolingMode;

/// Token t of a step has the hidden state (id, −id²).
class Parabola final : public Encoder {
 public:
  Tensor Forward(Ops& ops, const ModelInput& input) const override {
    const Tensor x = ops.Scratch(input.shape.tokens, 2);
    for (int64_t t = 0; x.data != nullptr && t < x.rows; ++t) {
      const auto id = static_cast<float>(input.ids[t]);
      SetElement(x, 2 * t, id);
      SetElement(x, 2 * t + 1, -id * id);
    }
    return x;
  }
  int64_t hidden_size() const override { return 2; }
  int64_t head_dim() const override { return 2; }
  int64_t vocabulary_size() const override { return 10; }
  int64_t positions_max() const override { return 10; }
  int64_t type_vocabulary_size() const override { return 1; }
};

/// Sequences (1 2 3) and (4), the first with a prompt of one token, the second of none.
std::vector<float> Embed(const hub::Pooling& pooling, std::vector<uint8_t> normalize = {0, 0}) {
  hub::PerOutput<std::unique_ptr<Head>> heads;
  heads[hub::Output::kDense] = std::make_unique<PooledHead>(2, pooling, std::vector<DenseModule>());
  const Model model(std::make_unique<Parabola>(), std::move(heads));
  const int64_t columns = model.shape(hub::Output::kDense).columns;
  const std::vector<int32_t> ids = {1, 2, 3, 4}, cu_seqlens = {0, 3, 4}, prompts = {1, 0};
  ReferenceOps ops(DType::kFloat32, model.ArenaBytes(DType::kFloat32, 4));
  std::vector<float> values(2 * columns);
  hub::PerOutput<Tensor> out;
  out[hub::Output::kDense] = {.data = values.data(), .rows = 2, .cols = columns};
  model.Run(ops,
            {.ids = ids,
             .prompt_lengths = prompts,
             .normalize = normalize,
             .shape = BatchShape::OfHost(cu_seqlens)},
            out);
  return values;
}

auto Near(const std::vector<float>& values) { return Pointwise(FloatNear(1e-5f), values); }

TEST(Model, OnePoolingMode) {
  EXPECT_THAT(Embed({.modes = {Mode::kMean}}), Near({2, -14.0f / 3, 4, -16}));
}

TEST(Model, SixModesSideBySide) {
  const float s3 = std::sqrt(3.0f);
  EXPECT_THAT(
      Embed({.modes = {Mode::kCls, Mode::kMax, Mode::kMean, Mode::kMeanSqrtLen, Mode::kWeightedMean,
                       Mode::kLastToken}}),
      Near({1, -1,  3, -1,  2, -14.0f / 3, 6 / s3, -14 / s3, 14.0f / 6, -36.0f / 6, 3, -9,  //
            4, -16, 4, -16, 4, -16,        4,      -16,      4,         -16,        4, -16}));
}

TEST(Model, SixModesWithoutThePrompt) {
  const float s2 = std::sqrt(2.0f);
  EXPECT_THAT(Embed({.modes = {Mode::kCls, Mode::kMax, Mode::kMean, Mode::kMeanSqrtLen,
                               Mode::kWeightedMean, Mode::kLastToken},
                     .include_prompt = false}),
              Near({2, -4,  3, -4,  2.5f, -6.5f, 5 / s2, -13 / s2, 13.0f / 5, -35.0f / 5, 3, -9,  //
                    4, -16, 4, -16, 4,    -16,   4,      -16,      4,         -16,        4, -16}));
}

TEST(Model, NormalisesTheRowsThatAskForIt) {
  const float norm = std::sqrt(4 * (16.0f + 256));
  EXPECT_THAT(Embed({.modes = {Mode::kMean, Mode::kMean, Mode::kCls, Mode::kMax}}, {0, 1}),
              Near({2, -14.0f / 3, 2, -14.0f / 3, 1, -1, 3, -1,  //
                    4 / norm, -16 / norm, 4 / norm, -16 / norm, 4 / norm, -16 / norm, 4 / norm,
                    -16 / norm}));
}

class LoadTest : public ::testing::Test {
 protected:
  static hub::ModelFolder Folder(nlohmann::json changes = {}) {
    nlohmann::json config = {
        {"model_type", "bert"},         {"hidden_size", 8},         {"intermediate_size", 12},
        {"num_hidden_layers", 2},       {"num_attention_heads", 2}, {"vocab_size", 20},
        {"max_position_embeddings", 6}, {"type_vocab_size", 2},     {"hidden_act", "gelu"}};
    if (!changes.is_null()) config.merge_patch(changes);
    hub::ModelFolder folder;
    folder.model_type = config.at("model_type");
    folder.config = hub::Config(config);
    folder.outputs = hub::Output::kDense;
    folder.pooling.modes = {Mode::kMean};
    folder.max_length = 6;
    folder.max_length_source = "--max-length";
    return folder;
  }
  static absl::Status LoadRandom(const hub::ModelFolder& folder) {
    ReferenceBackend backend(DType::kFloat32);
    return Model::Load(folder, {.random_seed = 1}, backend).status();
  }
  static std::string Error(nlohmann::json changes) {
    const absl::Status status = LoadRandom(Folder(std::move(changes)));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }
};

TEST_F(LoadTest, RandomWeightsMakeAModel) { EXPECT_EQ(LoadRandom(Folder()), absl::OkStatus()); }

TEST_F(LoadTest, AnUnknownFamilyIsNamedWithTheKnownOnes) {
  EXPECT_THAT(Error({{"model_type", "tulip"}}),
              AllOf(HasSubstr("config.json: model_type: expected one of \"bert\""),
                    HasSubstr("\"qwen3\""), HasSubstr("got \"tulip\"")));
}

TEST_F(LoadTest, HeadsMustDivideTheHiddenSize) {
  EXPECT_THAT(Error({{"num_attention_heads", 3}}),
              HasSubstr("num_attention_heads: 3 heads do not divide hidden_size 8"));
}

TEST_F(LoadTest, OtherPositionsAreRefused) {
  EXPECT_THAT(Error({{"position_embedding_type", "relative_key"}}),
              HasSubstr("position_embedding_type: expected \"absolute\", got \"relative_key\""));
}

TEST_F(LoadTest, ActivationsAreReadByName) {
  for (const char* name : {"gelu", "gelu_new", "gelu_pytorch_tanh", "relu"}) {
    EXPECT_EQ(LoadRandom(Folder({{"hidden_act", name}})), absl::OkStatus()) << name;
  }
  EXPECT_THAT(Error({{"hidden_act", "swish"}}),
              HasSubstr("hidden_act: expected gelu, gelu_new, "
                        "gelu_pytorch_tanh, relu or silu, got \"swish\""));
}

TEST_F(LoadTest, AMissingKeyIsNamed) {
  for (const char* key :
       {"hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
        "vocab_size", "max_position_embeddings", "type_vocab_size", "hidden_act"}) {
    EXPECT_THAT(Error({{key, nullptr}}), HasSubstr(key));
  }
}

TEST_F(LoadTest, TheLengthLimitMayNotExceedThePositions) {
  hub::ModelFolder folder = Folder();
  folder.max_length = 7;
  EXPECT_THAT(std::string(LoadRandom(folder).message()),
              HasSubstr("--max-length: 7 tokens exceed the model's 6 positions"));
}

}  // namespace
}  // namespace rose
