#include "ivy/job/check_result.h"

#include <gmock/gmock.h>

#include <limits>

#include "ivy/http/cause.h"
#include "ivy/job/fake_model.h"

namespace ivy {
namespace {

using hub::Output;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class CheckResultTest : public ::testing::Test {
 protected:
  CheckResultTest() {
    for (const Output output : hub::kAllOutputs) job_.outputs |= output;
    model_.Classify({"a", "b"}, hub::ScoreActivation::kSoftmax);
    model_.client.info().dimension = 2;
    model_.Give(job_.outputs);
    table_ = *ModelTable::Create({model_.Served()}, true);
    job_.model = &table_->first();
    result_.sequences = 2;
    result_.dense = {.columns = 2, .values = {1, 2, 3, 4}};
    result_.scores = {.columns = 2, .values = {1, 2, 3, 4}};
    result_.sparse = {.offsets = {0, 1, 3}, .ids = {5, 6, 7}, .weights = {1, 1, 1}};
    result_.tokens = {.columns = 4, .offsets = {0, 1, 2}, .values = std::vector<float>(8)};
    result_.colbert = {.columns = 2, .offsets = {0, 0, 1}, .values = {1, 2}};
  }

  absl::Status Check() const { return CheckResult(job_, std::vector<int32_t>{7, 3}, result_); }
  void ExpectWrong(const std::string& message) const {
    EXPECT_EQ(CauseOf(Check()), Cause::kBackend);
    EXPECT_THAT(std::string(Check().message()), ::testing::HasSubstr(message));
  }

  FakeModel model_;
  std::unique_ptr<ModelTable> table_;
  Job job_;
  wire::InferenceResult result_;
};

TEST_F(CheckResultTest, SoundResult) { EXPECT_TRUE(Check().ok()) << Check(); }

TEST_F(CheckResultTest, TooFewSequences) {
  result_.sequences = 1;
  ExpectWrong("expected 2 sequences, got 1");
}

TEST_F(CheckResultTest, MissingOutput) {
  result_.dense = {};
  ExpectWrong("dense output: expected 2 rows of 2 numbers, got 0 numbers, 0 to a row");
}

TEST_F(CheckResultTest, RowsOfAnotherWidth) {
  result_.tokens.columns = 2;
  ExpectWrong("tokens output: expected rows of 4 numbers");
}

TEST_F(CheckResultTest, OffsetsThatPartNothing) {
  for (const std::vector<int64_t>& wrong : std::vector<std::vector<int64_t>>{
           {0}, {0, 3}, {0, 4, 3}, {1, 2, 3}, {0, -1, 3}, {0, 1, 2}}) {
    result_.sparse.offsets = wrong;
    ExpectWrong("sparse output: expected 2 rows of 3 numbers in all");
  }
}

TEST_F(CheckResultTest, WeightsWithoutIds) {
  result_.sparse.weights.push_back(1);
  ExpectWrong("sparse output: expected 3 weights, got 4");
}

TEST_F(CheckResultTest, Bug31_NonFiniteValueNamesItsInput) {
  result_.colbert.values[1] = kNan;
  ExpectWrong("its colbert output has a non-finite value");
  EXPECT_EQ(ParamOf(Check()), "input[3]");
  result_.colbert.values[1] = 0;
  result_.sparse.weights[0] = kNan;
  EXPECT_EQ(ParamOf(Check()), "input[7]");
}

}  // namespace
}  // namespace ivy
