#include "bench/reference_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace bench {
namespace {

using testing::HasSubstr;

/// Answers the vector that stands beside an input's ids.
class FakeTarget final : public Target {
 public:
  absl::StatusOr<std::unique_ptr<Client>> Connect(const std::vector<Request>&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<Vectors> Embed(const Request& request) override {
    largest_request = std::max(largest_request, request.inputs());
    Vectors rows;
    for (const std::vector<int32_t>& ids : request.ids) {
      rows.push_back(request.inputs() > 1 && beside ? *beside : vectors.at(ids));
    }
    return rows;
  }
  absl::StatusOr<std::unique_ptr<Target>> MakeNull(int, int) const override {
    return absl::UnimplementedError("");
  }

  std::map<std::vector<int32_t>, std::vector<float>> vectors;
  std::optional<std::vector<float>> beside;  ///< Of every input that is not alone.
  int largest_request = 0;
};

ReferenceVectors MakeReference() {
  return {.model = "transformers",
          .inputs = {{.ids = {1, 2}, .embedding = {1, 0}},
                     {.ids = {3}, .embedding = {0, 1}},
                     {.ids = {4, 5, 6}, .embedding = {0.6F, -0.8F}}}};
}

FakeTarget MakeTarget() {
  FakeTarget target;
  // The length of a vector is of no matter.
  target.vectors = {{{1, 2}, {2, 0}}, {{3}, {0, 1}}, {{4, 5, 6}, {0.6F, -0.8F}}};
  return target;
}

std::string Fault(FakeTarget target, const ReferenceVectors& reference = MakeReference()) {
  return std::string(CheckReference(target, reference).status().message());
}

TEST(CheckReference, TellsTheLargestDivergence) {
  FakeTarget target = MakeTarget();
  target.vectors[{3}] = {0.04F, 1};
  const absl::StatusOr<double> worst = CheckReference(target, MakeReference());
  ASSERT_TRUE(worst.ok()) << worst.status();
  EXPECT_NEAR(*worst, 1 - 1 / std::sqrt(1.0016), 1e-6);
  EXPECT_EQ(target.largest_request, 3);
}

TEST(CheckReference, NamesTheInputThatDiverges) {
  FakeTarget target = MakeTarget();
  target.vectors[{3}] = {0.05F, 1};
  EXPECT_THAT(Fault(target), HasSubstr("input 1 (1 tokens, alone): its vector diverges from "
                                       "transformers by 0.00124"));
  target.vectors[{3}] = {0, 0};
  EXPECT_THAT(Fault(target), HasSubstr("input 1 (1 tokens, alone): its vector diverges from "
                                       "transformers by no number"));
  target.vectors[{3}] = {0, 1, 0};
  EXPECT_THAT(Fault(target), HasSubstr("input 1: 3 dimensions, transformers has 2"));
}

TEST(CheckReference, SeesThatInputsDisturbEachOther) {
  FakeTarget target = MakeTarget();
  target.beside = {1, 0};
  EXPECT_THAT(Fault(target), HasSubstr("input 1 (1 tokens, beside the others)"));
}

TEST(CheckReference, WantsInputsThatDiffer) {
  ReferenceVectors reference = MakeReference();
  reference.inputs[1].embedding = {1, 0.01F};
  EXPECT_THAT(Fault(MakeTarget(), reference),
              HasSubstr("input 0 is as close to the vector that transformers has of input 1"));
}

TEST(ReadReference, ReadsIdsAndVectors) {
  const auto reference = ReadReference(
      R"({"model": "m", "inputs": [{"ids": [1, 2], "embedding": [0.5, -1]},
                                   {"ids": [7], "embedding": [1, 0]}]})");
  ASSERT_TRUE(reference.ok()) << reference.status();
  EXPECT_EQ(reference->model, "m");
  EXPECT_THAT(reference->inputs[0].ids, testing::ElementsAre(1, 2));
  EXPECT_THAT(reference->inputs[0].embedding, testing::ElementsAre(0.5F, -1));
}

TEST(ReadReference, SaysWhatIsWrong) {
  const struct {
    const char* json;
    const char* cause;
  } kCases[] = {
      {"[", "no reference vectors"},
      {R"({"inputs": 3})", "no reference vectors"},
      {R"({"inputs": [{"ids": "x", "embedding": [1]}]})", "no reference vectors"},
      {R"({"inputs": [{"ids": [1], "embedding": [1]}]})", "at least two"},
      {R"({"inputs": [{"ids": [1], "embedding": [1]}, {"ids": [], "embedding": [1]}]})",
       "inputs[1].ids"},
      {R"({"inputs": [{"ids": [1], "embedding": [1]}, {"ids": [2], "embedding": [1, 2]}]})",
       "inputs[1].embedding: 2 dimensions, expected 1"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(std::string(ReadReference(c.json).status().message()), HasSubstr(c.cause))
        << c.json;
  }
  EXPECT_THAT(std::string(ReadReferenceFile("/none/such").status().message()),
              HasSubstr("/none/such"));
}

}  // namespace
}  // namespace bench
