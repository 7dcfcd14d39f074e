#include "rose/loading/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "rose/core/reference_backend.h"
#include "rose/core/reference_ops.h"

namespace rose {
namespace {

using ::testing::ElementsAre;

/// Tensors of any shape asked for, from a map.
class FakeWeights final : public Weights {
 public:
  using Weights::Get;
  explicit FakeWeights(std::map<std::string, std::vector<float>> tensors)
      : tensors_(std::move(tensors)) {}

  void AcceptPrefixes(std::vector<std::string>) override {}
  bool Has(std::string_view name) const override { return tensors_.count(std::string(name)) != 0; }
  absl::StatusOr<HostTensor> Get(std::string_view name, std::span<const int64_t> shape) override {
    asked_.emplace_back(name);
    const auto found = tensors_.find(std::string(name));
    if (found == tensors_.end()) return absl::NotFoundError(asked_.back() + ": not there");
    return HostTensor{.name = found->first,
                      .dtype = DType::kFloat32,
                      .shape = {shape.begin(), shape.end()},
                      .bytes = std::as_bytes(std::span(found->second)),
                      .file = nullptr,
                      .buffer = nullptr};
  }
  absl::StatusOr<HostTensor> GetTied(std::string_view name,
                                     std::span<const int64_t> shape) override {
    return Get(name, shape);
  }
  int64_t bytes() const override { return 0; }
  void Skip(std::string_view) override {}
  absl::Status Finish() const override { return finish_; }

  std::map<std::string, std::vector<float>> tensors_;
  std::vector<std::string> asked_;
  absl::Status finish_;
};

std::vector<float> Row(const Linear& linear, std::vector<float> x) {
  ReferenceOps ops(DType::kFloat32, 1 << 10);
  std::vector<float> out(linear.out_features());
  linear(ops, {.data = x.data(), .rows = 1, .cols = std::ssize(x)},
         {.data = out.data(), .rows = 1, .cols = std::ssize(out)});
  return out;
}

TEST(Loader, FusedHoldsTheOutputsSideBySide) {
  FakeWeights weights({{"q.weight", {1, 0, 0, 1}},
                       {"q.bias", {0, 0}},
                       {"k.weight", {2, 0, 0, 2}},
                       {"k.bias", {10, 20}}});
  ReferenceBackend backend(DType::kFloat32);
  Loader loader(weights, backend);
  const Linear fused = loader.Fused({{"q", 2}, {"k", 2}}, 2, Bias::kYes);
  ASSERT_TRUE(loader.Finish().ok());
  EXPECT_THAT(Row(fused, {3, 5}), ElementsAre(3, 5, 16, 30));
}

TEST(Loader, FusedPartsMayDifferInSize) {
  FakeWeights weights({{"q.weight", {1, 0, 0, 1}}, {"k.weight", {2, 3}}});
  ReferenceBackend backend(DType::kFloat32);
  Loader loader(weights, backend);
  const Linear fused = loader.Fused({{"q", 2}, {"k", 1}}, 2, Bias::kNo);
  ASSERT_TRUE(loader.Finish().ok());
  EXPECT_THAT(Row(fused, {3, 5}), ElementsAre(3, 5, 21));
  EXPECT_THAT(weights.asked_, ElementsAre("q.weight", "k.weight"));
}

TEST(Loader, ALayerWithoutANameIsItsTensors) {
  FakeWeights weights({{"weight", {2, 3}}, {"bias", {7}}});
  ReferenceBackend backend(DType::kFloat32);
  Loader loader(weights, backend);
  const Linear dense = loader.Dense("", 1, 2);
  ASSERT_TRUE(loader.Finish().ok());
  EXPECT_THAT(Row(dense, {1, 1}), ElementsAre(12));
}

TEST(Loader, Bug44_TiedMatricesComeFromTheTable) {
  FakeWeights weights({{"table", {1, 2, 3, 4, 5, 6}}, {"head.bias", {10, 20, 30}}});
  ReferenceBackend backend(DType::kFloat32);
  Loader loader(weights, backend);
  EXPECT_EQ(loader.Table("table", 3, 2).rows, 3);
  const Linear head = loader.Tied("table", "head.bias", 3, 2);
  ASSERT_TRUE(loader.Finish().ok());
  EXPECT_THAT(Row(head, {1, 1}), ElementsAre(13, 27, 41));
}

TEST(Loader, ATableMayLoseItsFirstRows) {
  FakeWeights weights({{"positions", {1, 2, 3, 4, 5, 6}}});
  ReferenceBackend backend(DType::kFloat32);
  Loader loader(weights, backend);
  const Tensor table = loader.Table("positions", 3, 2, 2);
  ASSERT_TRUE(loader.Finish().ok());
  EXPECT_EQ(table.rows, 1);
  EXPECT_EQ(table.f32()[0], 5);
  EXPECT_EQ(table.f32()[1], 6);
}

TEST(Loader, NormsOfEachKind) {
  FakeWeights weights({{"a.weight", {1}}, {"a.bias", {2}}, {"b.weight", {3}}, {"c.weight", {4}}});
  ReferenceBackend backend(DType::kBFloat16);
  Loader loader(weights, backend);
  const NormParams a = loader.LayerNorm("a", 1, 0.5F).params;
  const NormParams b = loader.LayerNormNoBias("b", 1, 0.5F).params;
  const NormParams c = loader.RmsNorm("c", 1, 0.25F).params;
  ASSERT_TRUE(loader.Finish().ok());
  EXPECT_EQ(a.bias.f32()[0], 2);
  EXPECT_EQ(a.kind, NormKind::kLayer);
  EXPECT_EQ(b.weight.f32()[0], 3);
  EXPECT_EQ(b.bias.data, nullptr);
  EXPECT_EQ(c.kind, NormKind::kRms);
  EXPECT_EQ(c.epsilon, 0.25F);
  EXPECT_EQ(c.bias.data, nullptr);
}

TEST(Loader, AHeadMayBeFloat32BesideBFloat16) {
  const float value = 1 + 0x1p-20F;  // None of bfloat16's.
  FakeWeights weights({{"head.weight", {value}}, {"body.weight", {value}}});
  ReferenceBackend backend(DType::kBFloat16);
  Loader loader(weights, backend);
  const Linear head = loader.DenseNoBias("head", 1, 1, DType::kFloat32);
  const Linear body = loader.DenseNoBias("body", 1, 1);
  ASSERT_TRUE(loader.Finish().ok());
  EXPECT_EQ(head.weight->dtype, DType::kFloat32);
  EXPECT_EQ(body.weight->dtype, DType::kBFloat16);
  EXPECT_THAT(Row(head, {1}), ElementsAre(value));
  EXPECT_THAT(Row(body, {1}), ElementsAre(1));
}

TEST(Loader, ValuesAreWidenedOntoTheHost) {
  FakeWeights weights({{"bias", {1, 2, 3, 4}}});
  ReferenceBackend backend(DType::kBFloat16);
  Loader loader(weights, backend);
  EXPECT_THAT(loader.Values("bias", 2, 2), ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(loader.Values("other", 2, 2).empty());
}

// Tables may hold such rows; products and norms may not.
TEST(Loader, RefusesWhatIsNotFinite) {
  const auto message = [](const auto& load, float value) {
    FakeWeights weights({{"a.weight", {1, value}}, {"a.bias", {1, 1}}, {"b.bias", {value, 1}}});
    ReferenceBackend backend(DType::kBFloat16);
    Loader loader(weights, backend);
    load(loader);
    return std::string(loader.Finish().message());
  };
  for (const float value : {HUGE_VALF, -HUGE_VALF, std::nanf("")}) {
    const auto of_weight = "a.weight: expected finite values, found infinity or NaN";
    EXPECT_EQ(message([](Loader& load) { load.DenseNoBias("a", 1, 2); }, value), of_weight);
    EXPECT_EQ(message([](Loader& load) { load.Tied("a.weight", "", 1, 2); }, value), of_weight);
    EXPECT_EQ(message([](Loader& load) { load.LayerNorm("a", 2, 0); }, value), of_weight);
    EXPECT_EQ(message([](Loader& load) { load.Values("a.weight", 1, 2); }, value), of_weight);
    EXPECT_EQ(message([](Loader& load) { load.Tied("a.bias", "b.bias", 2, 1); }, value),
              "b.bias: expected finite values, found infinity or NaN");
    EXPECT_EQ(message([](Loader& load) { load.Table("a.weight", 1, 2); }, value), "");
  }
}

TEST(Loader, TheFirstErrorSticks) {
  FakeWeights weights({{"norm.weight", {1}}});
  ReferenceBackend backend(DType::kFloat32);
  Loader loader(weights, backend);
  loader.Table("first", 1, 1);
  EXPECT_FALSE(loader.ok());
  EXPECT_EQ(loader.LayerNorm("norm", 1, 0).params.weight.data, nullptr);
  EXPECT_EQ(loader.Dense("second", 1, 1).weight, nullptr);
  EXPECT_THAT(weights.asked_, ElementsAre("first"));
  EXPECT_EQ(loader.Finish().message(), "first: not there");
}

TEST(Loader, FinishTellsOfTensorsLeftBehind) {
  FakeWeights weights({});
  weights.finish_ = absl::InvalidArgumentError("extra.weight: unread");
  ReferenceBackend backend(DType::kFloat32);
  EXPECT_EQ(Loader(weights, backend).Finish().message(), "extra.weight: unread");
}

}  // namespace
}  // namespace rose
