// What is fed to the models of the suite: ids and type ids of every pair, classified text and
// prompted text of its cases.json.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/json.h"
#include "ivy/job/fake_client.h"
#include "ivy/job/tokenize_input.h"

namespace ivy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

using Ids = std::vector<int32_t>;

/// A folder of the suite behind a client that is never asked.
class SuiteModel {
 public:
  explicit SuiteModel(const fs::path& path)
      : cases(*common::ReadJsonFile(path / "cases.json")),
        folder_(*hub::Open(path, {.weights_required = false})),
        tokenizer_(*text::Tokenizer::FromFolder(path)) {
    wire::ModelInfo& info = client_.info();
    info.max_length = folder_.max_length;
    info.vocabulary_size = tokenizer_->vocabulary_size();
    info.type_vocabulary_size = static_cast<int>(*folder_.config.Int("type_vocab_size", 1));
    info.outputs = folder_.outputs;
    if (folder_.classifier) info.labels = static_cast<int>(folder_.classifier->labels.size());
    table_ = *ModelTable::Create({{.name = folder_.name,
                                   .folder = &folder_,
                                   .tokenizer = tokenizer_.get(),
                                   .client = &client_}},
                                 true);
  }

  const Model& model() const { return table_->first(); }
  Job NewJob(Input input, int max_length) const {
    Job job;
    job.model = &model();
    job.inputs = {std::move(input)};
    job.max_length = max_length;
    if (folder_.rerank_template) job.instruction = folder_.rerank_template->default_instruction;
    return job;
  }

  const json cases;

 private:
  const hub::ModelFolder folder_;
  const std::unique_ptr<text::Tokenizer> tokenizer_;
  FakeClient client_;
  std::unique_ptr<ModelTable> table_;
};

TextPair PairOf(const json& first, const json& second) {
  return {.first = std::make_shared<const std::string>(first), .second = second};
}

void ExpectTokens(const Job& job, const json& expected) {
  SCOPED_TRACE(expected["name"]);
  text::Scratch scratch;
  const auto sequence = TokenizeInput(job, 0, scratch);
  ASSERT_TRUE(sequence.ok()) << sequence.status();
  EXPECT_EQ(sequence->ids, expected["input_ids"].get<Ids>());
  const Ids types = expected.value("token_type_ids", Ids());
  EXPECT_EQ(sequence->type_ids, types);
  EXPECT_EQ(sequence->prompt_tokens > 0, job.prompt != nullptr);
  if (expected.contains("prompt_tokens_left_out_of_pooling")) {
    EXPECT_EQ(sequence->prompt_tokens, expected["prompt_tokens_left_out_of_pooling"]);
  }
}

class TokenizeSuite : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string name = std::string("models/") + GetParam();
    fs::path path = fs::path(PARTERRE_TEST_DATA) / name;
    if (!fs::exists(path)) path = fs::path(PARTERRE_SHARED_CASES) / name;
    if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
    suite_ = std::make_unique<SuiteModel>(path);
  }

  std::unique_ptr<SuiteModel> suite_;
};

class Reranker : public TokenizeSuite {};

TEST_P(Reranker, PairsBecomeTheIdsOfTheReference) {
  int pairs = 0;
  for (const json& pair : suite_->cases["pairs"]) {
    Job job = suite_->NewJob(PairOf(pair["query"], pair["document"]), pair["max_length"]);
    job.instruction = pair.value("instruction", job.instruction);
    ExpectTokens(job, pair);
    ++pairs;
  }
  EXPECT_GE(pairs, 8);
}

TEST_P(Reranker, Bug19_TooLongAPairIsRefusedUnlessItMayBeCut) {
  for (const json& pair : suite_->cases["pairs"]) {
    const int length = pair["length"];
    if (length != pair["max_length"]) continue;
    Job job = suite_->NewJob(PairOf(pair["query"], pair["document"]), length);
    job.truncate = false;
    text::Scratch scratch;
    EXPECT_EQ(TokenizeInput(job, 0, scratch).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, Reranker,
                         ::testing::Values("bert-reranker", "xlm-roberta-reranker",
                                           "modernbert-reranker", "qwen3-reranker",
                                           "qwen3-reranker-seqcls"));

class Classifier : public TokenizeSuite {};

TEST_P(Classifier, TextsAndPairsBecomeTheIdsOfTheReference) {
  const int max_length = suite_->cases["max_length"];
  int pairs = 0;
  for (const json& item : suite_->cases["classify"]) {
    const bool pair = item.contains("pair");
    Input input =
        pair ? Input(PairOf(item["text"], item["pair"])) : Input(std::string(item["text"]));
    ExpectTokens(suite_->NewJob(std::move(input), max_length), item);
    pairs += pair ? 1 : 0;
  }
  EXPECT_GE(pairs, 5);
}

INSTANTIATE_TEST_SUITE_P(Folders, Classifier, ::testing::Values("roberta-classification"));

class Embedding : public TokenizeSuite {};

TEST_P(Embedding, TextsWithTheirPromptsBecomeTheIdsOfTheReference) {
  int texts = 0;
  for (const json& input : suite_->cases["inputs"]) {
    if (input["kind"] != "text") continue;
    Job job = suite_->NewJob(std::string(input["text"]), suite_->cases["max_length"]);
    if (input.contains("prompt_name")) {
      const auto found = suite_->model().prompts.find(input["prompt_name"].get<std::string>());
      ASSERT_NE(found, suite_->model().prompts.end()) << input["prompt_name"];
      job.prompt = found->second;
      EXPECT_EQ(job.prompt ? job.prompt->text : "", input["prompt"]);
    }
    ExpectTokens(job, input);
    ++texts;
  }
  EXPECT_GT(texts, 5);
}

INSTANTIATE_TEST_SUITE_P(Folders, Embedding,
                         ::testing::Values("bert-mean", "bert-cls", "bert-xlmr-tokenizer",
                                           "roberta", "xlm-roberta", "mpnet", "distilbert",
                                           "modernbert", "nomic-bert", "jina-v3", "qwen3-embedding",
                                           "pplx-embed"));

}  // namespace
}  // namespace ivy
