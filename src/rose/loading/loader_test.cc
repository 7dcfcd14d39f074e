#include "rose/loading/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Loader, FusedDenseHoldsTheOutputsSideBySide) {
  FakeWeights weights({{"q.weight", {1, 0, 0, 1}},
                       {"q.bias", {0, 0}},
                       {"k.weight", {2, 0, 0, 2}},
                       {"k.bias", {10, 20}}});
  ReferenceBackend backend(DType::kFloat32);
  Loader loader(weights, backend);
  const Linear fused = loader.FusedDense({"q", "k"}, 2, 2);
  ASSERT_TRUE(loader.Finish().ok());
  EXPECT_THAT(Row(fused, {3, 5}), ElementsAre(3, 5, 16, 30));
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
