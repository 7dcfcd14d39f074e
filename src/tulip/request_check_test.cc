#include "tulip/request_check.h"

#include <gtest/gtest.h>

#include <functional>

namespace tulip {
namespace {

const wire::ModelInfo& Model() {
  static const wire::ModelInfo model = [] {
    wire::ModelInfo info;
    info.outputs = hub::Output::kDense;
    info.name = "m";
    info.max_length = 4;
    info.vocabulary_size = 100;
    info.type_vocabulary_size = 2;
    return info;
  }();
  return model;
}

wire::InferenceRequest Good() {
  wire::InferenceRequest request;
  request.ids = {0, 99, 5, 6, 7, 8};
  request.lengths = {2, 4};
  request.type_ids = {0, 1, 0, 0, 1, 1};
  request.prompt_lengths = {0, 4};
  return request;
}

TEST(CheckRequest, TakesWhatIsAtTheLimits) {
  EXPECT_EQ(CheckRequest(Good(), Model()), absl::OkStatus());
  wire::InferenceRequest named = Good();
  named.model = Model().name;
  named.type_ids.clear();
  named.prompt_lengths.clear();
  EXPECT_EQ(CheckRequest(named, Model()), absl::OkStatus());
}

TEST(CheckRequest, AnotherModelIsNotFound) {
  wire::InferenceRequest request = Good();
  request.model = "other";
  const absl::Status status = CheckRequest(request, Model());
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "model 'other' is not served here, only 'm'");
}

struct BadCase {
  const char* message;
  std::function<void(wire::InferenceRequest&)> spoil;
};

TEST(CheckRequest, Bug19_NamesTheSequenceAndTheValue) {
  using R = wire::InferenceRequest;
  const BadCase cases[] = {
      {"lengths: empty, expected at least one sequence",
       [](R& r) {
         r.lengths.clear();
         r.ids.clear();
       }},
      {"sequence 1: length 0, expected 1 to 4",
       [](R& r) {
         r.lengths = {2, 0, 4};
       }},
      {"sequence 0: length -2, expected 1 to 4",
       [](R& r) {
         r.lengths = {-2, 4, 4};
       }},
      {"sequence 1: length 5, expected 1 to 4",
       [](R& r) {
         r.lengths = {1, 5};
       }},
      {"lengths: sum 5, but 6 ids",
       [](R& r) {
         r.lengths = {2, 3};
       }},
      {"lengths: sum 7, but 6 ids",
       [](R& r) {
         r.lengths = {3, 4};
       }},
      {"sequence 0: token 1: id 100, expected 0 to 99", [](R& r) { r.ids[1] = 100; }},
      {"sequence 1: token 0: id -1, expected 0 to 99", [](R& r) { r.ids[2] = -1; }},
      {"sequence 1: token 3: id 2147483647, expected 0 to 99", [](R& r) { r.ids[5] = 2147483647; }},
      {"outputs: empty, expected at least one", [](R& r) { r.outputs = {}; }},
      {"outputs: this model does not give colbert",
       [](R& r) { r.outputs |= hub::Output::kColbert; }},
      {"type_ids: 5 entries, expected 6, one per id", [](R& r) { r.type_ids.pop_back(); }},
      {"sequence 1: token 1: type id 2, expected 0 to 1", [](R& r) { r.type_ids[3] = 2; }},
      {"prompt_lengths: 1 entries, expected 2, one per sequence",
       [](R& r) { r.prompt_lengths.pop_back(); }},
      {"sequence 0: prompt length 3, expected 0 to 2", [](R& r) { r.prompt_lengths[0] = 3; }},
      {"sequence 1: prompt length -1, expected 0 to 4", [](R& r) { r.prompt_lengths[1] = -1; }},
  };
  for (const BadCase& bad : cases) {
    wire::InferenceRequest request = Good();
    bad.spoil(request);
    const absl::Status status = CheckRequest(request, Model());
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), bad.message);
  }
}

}  // namespace
}  // namespace tulip
