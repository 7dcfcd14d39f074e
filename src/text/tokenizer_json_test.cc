#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "text/test_cases.h"
#include "text/tokenizer.h"

namespace text {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::StartsWith;

json AddedToken(int id, const char* content) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

/// A small sound file.
json Sound() {
  const json cls = {{"SpecialToken", {{"id", "[CLS]"}, {"type_id", 0}}}};
  const json sep = {{"SpecialToken", {{"id", "[SEP]"}, {"type_id", 0}}}};
  const json first = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const json second = {{"Sequence", {{"id", "B"}, {"type_id", 1}}}};
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", {AddedToken(0, "[UNK]"), AddedToken(5, "<new>")}},
          {"normalizer",
           {{"type", "BertNormalizer"},
            {"clean_text", true},
            {"handle_chinese_chars", true},
            {"strip_accents", nullptr},
            {"lowercase", true}}},
          {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
          {"post_processor",
           {{"type", "TemplateProcessing"},
            {"single", {cls, first, sep}},
            {"pair", {cls, first, sep, second, sep}},
            {"special_tokens",
             {{"[CLS]", {{"id", "[CLS]"}, {"ids", {1}}, {"tokens", {"[CLS]"}}}},
              {"[SEP]", {{"id", "[SEP]"}, {"ids", {2}}, {"tokens", {"[SEP]"}}}}}}}},
          {"decoder", nullptr},
          {"model",
           {{"type", "WordPiece"},
            {"unk_token", "[UNK]"},
            {"continuing_subword_prefix", "##"},
            {"max_input_chars_per_word", 5},
            {"vocab", {{"[UNK]", 0}, {"[CLS]", 1}, {"[SEP]", 2}, {"ab", 3}, {"##c", 4}}}}}};
}

std::unique_ptr<Tokenizer> Load(const json& file) {
  auto tokenizer = Tokenizer::FromJson(file.dump());
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status();
  return tokenizer.ok() ? *std::move(tokenizer) : nullptr;
}

std::string ErrorOf(const absl::StatusOr<std::unique_ptr<Tokenizer>>& tokenizer) {
  return std::string(tokenizer.status().message());
}

TEST(TokenizerJsonTest, ReadsASoundFile) {
  const auto tokenizer = Load(Sound());
  EXPECT_THAT(Encode(*tokenizer, "ABC <new>abcccc"), ElementsAre(1, 3, 4, 5, 0, 2));
  EXPECT_EQ(tokenizer->special_tokens(), 2);
  EXPECT_EQ(tokenizer->vocabulary_size(), 6);
}

TEST(TokenizerJsonTest, ReadsFilesWithoutTheModelsType) {
  json file = Sound();
  file["model"].erase("type");
  EXPECT_THAT(Encode(*Load(file), "abc"), ElementsAre(1, 3, 4, 2));
}

TEST(TokenizerJsonTest, PartsMayBeMissing) {
  for (const char* key : {"version", "truncation", "padding", "added_tokens", "normalizer",
                          "pre_tokenizer", "post_processor", "decoder"}) {
    json file = Sound();
    file.erase(key);
    EXPECT_NE(Load(file), nullptr) << key;
    file[key] = nullptr;
    EXPECT_NE(Load(file), nullptr) << key;
  }
  json file = Sound();
  for (const char* key : {"normalizer", "pre_tokenizer", "post_processor"}) file.erase(key);
  EXPECT_THAT(Encode(*Load(file), "abc"), ElementsAre(3, 4));
  EXPECT_THAT(Encode(*Load(file), "ab c"), ElementsAre(0)) << "the text is one word";
}

TEST(TokenizerJsonTest, ReadsTheOtherPostProcessors) {
  json file = Sound();
  file["post_processor"] = {
      {"type", "BertProcessing"}, {"sep", {"[SEP]", 2}}, {"cls", {"[CLS]", 1}}};
  EXPECT_THAT(Encode(*Load(file), "ab"), ElementsAre(1, 3, 2));
  file["post_processor"] = {{"type", "RobertaProcessing"},
                            {"sep", {"</s>", 7}},
                            {"cls", {"<s>", 6}},
                            {"trim_offsets", true},
                            {"add_prefix_space", false}};
  const auto tokenizer = Load(file);
  EXPECT_THAT(Encode(*tokenizer, "ab"), ElementsAre(6, 3, 7));
  EXPECT_EQ(tokenizer->vocabulary_size(), 8) << "the post-processor's ids count";
}

TEST(TokenizerJsonTest, Bug18_TruncationAndPaddingAreIgnored) {
  json file = Sound();
  file["truncation"] = {{"max_length", 1}, {"strategy", "LongestFirst"}, {"stride", 0}};
  file["padding"] = "anything";
  const auto tokenizer = Load(file);
  EXPECT_THAT(Encode(*tokenizer, "ab ab"), ElementsAre(1, 3, 3, 2));
}

/// A place of the sound file, what is put there, and the error that names it. No value: the key is
/// taken out.
struct Fault {
  const char* pointer;
  json value;
  const char* error;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.pointer; }

class TokenizerJsonFaultTest : public testing::TestWithParam<Fault> {};

TEST_P(TokenizerJsonFaultTest, IsNamed) {
  const auto& [pointer, value, error] = GetParam();
  json file = Sound();
  const json::json_pointer place(pointer);
  if (value.is_discarded()) {
    file[place.parent_pointer()].erase(place.back());
  } else {
    file[place] = value;
  }
  const auto tokenizer = Tokenizer::FromJson(file.dump());
  ASSERT_FALSE(tokenizer.ok());
  EXPECT_EQ(tokenizer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(ErrorOf(tokenizer), testing::StartsWith(std::string("tokenizer.json: ") + error));
}

const json kMissing = json(json::value_t::discarded);

const Fault kFaults[] = {
    {"/surprise", 1,
     "surprise: key is not known; known: version, truncation, padding, added_tokens, normalizer, "
     "pre_tokenizer, post_processor, decoder, model"},
    {"/version", "2.0", "version: expected \"1.0\", got \"2.0\""},
    {"/model", kMissing, "key \"model\" is missing"},
    {"/model", nullptr, "model: expected an object, got null"},
    {"/decoder", json{{"type", "Abacus"}},
     "decoder.type: \"Abacus\" is not known; known: BPEDecoder"},
    {"/model/type", "Abacus",
     "model.type: \"Abacus\" is not known; known: BPE, Unigram, WordPiece"},
    {"/model/type", 3, "model.type: expected a string, got 3"},
    {"/pre_tokenizer",
     json{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", false}},
     "model: WordPiece behind ByteLevel or Metaspace is not known"},
    {"/model/unk_token", kMissing, "model: key \"unk_token\" is missing"},
    {"/model/unk_token", "[unk]",
     "model.unk_token: expected a piece of model.vocab, got \"[unk]\""},
    {"/model/continuing_subword_prefix", nullptr,
     "model.continuing_subword_prefix: expected a string, got null"},
    {"/model/max_input_chars_per_word", -1,
     "model.max_input_chars_per_word: expected an integer from 0 to 2147483647, got -1"},
    {"/model/surprise", true,
     "model.surprise: key is not known; known: type, unk_token, continuing_subword_prefix, "
     "max_input_chars_per_word, vocab"},
    {"/model/vocab", {"[UNK]", "a"}, "model.vocab: expected an object, got a list"},
    {"/model/vocab/ab", -1, "model.vocab.ab: expected an integer from 0 to 2147483646, got -1"},
    {"/model/vocab/ab", 1.5, "model.vocab.ab: expected an integer from 0 to 2147483646, got 1.5"},
    {"/model/vocab/ab", "3", "model.vocab.ab: expected an integer from 0 to 2147483646, got \"3\""},
    {"/model/vocab/ab", 18446744073709551615u,
     "model.vocab.ab: expected an integer from 0 to 2147483646, got 18446744073709551615"},
    {"/model/vocab/ab", 4, "model.vocab.ab: id 4 is that of \"##c\" too"},
    {"/normalizer", "BertNormalizer", "normalizer: expected an object, got \"BertNormalizer\""},
    {"/normalizer/type", "Nothing",
     "normalizer.type: \"Nothing\" is not known; known: BertNormalizer"},
    {"/normalizer/type", kMissing, "normalizer: key \"type\" is missing"},
    {"/normalizer/lowercase", "yes", "normalizer.lowercase: expected true or false, got \"yes\""},
    {"/normalizer/strip_accents", 1, "normalizer.strip_accents: expected true or false, got 1"},
    {"/normalizer/clean_text", kMissing, "normalizer: key \"clean_text\" is missing"},
    {"/pre_tokenizer/type", "Nothing", "pre_tokenizer.type: \"Nothing\" is not known; known: "},
    {"/post_processor/type", "Nothing",
     "post_processor.type: \"Nothing\" is not known; known: BertProcessing, ByteLevel, "
     "RobertaProcessing, Sequence, TemplateProcessing"},
    {"/post_processor/single/0/SpecialToken/id", "[FOO]",
     "post_processor.single[0].SpecialToken.id: expected a key of post_processor.special_tokens, "
     "got \"[FOO]\""},
    {"/post_processor/single/1/Sequence/id", "C",
     "post_processor.single[1].Sequence.id: expected \"A\" or \"B\", got \"C\""},
    {"/post_processor/single/1/Sequence/id", "B",
     "post_processor.single: expected sequence A once, found 0"},
    {"/post_processor/single/1", json::object(),
     "post_processor.single[1]: expected one of the keys Sequence and SpecialToken"},
    {"/post_processor/single", "[CLS] $A [SEP]",
     "post_processor.single: expected a list, got \"[CLS] $A [SEP]\""},
    {"/post_processor/pair/3/Sequence/type_id", -1,
     "post_processor.pair[3].Sequence.type_id: expected an integer from 0 to 2147483646, got -1"},
    {"/post_processor/pair/3/Sequence/id", "A",
     "post_processor.pair: expected sequence A once, found 2"},
    {"/post_processor/special_tokens/[SEP]/ids/0", -2,
     "post_processor.special_tokens[\"[SEP]\"].ids[0]: expected an integer from 0 to 2147483646, "
     "got -2"},
    {"/added_tokens", json::object(), "added_tokens: expected a list, got an object"},
    {"/added_tokens/1", "x", "added_tokens[1]: expected an object, got \"x\""},
    {"/added_tokens/1/id", -1,
     "added_tokens[1].id: expected an integer from 0 to 2147483646, got -1"},
    {"/added_tokens/1/id", 900000,
     "added_tokens[1]: \"<new>\" has id 900000, expected 5 (next behind the vocabulary of 5 "
     "pieces)"},
    {"/added_tokens/0/id", 3,
     "added_tokens[0]: \"[UNK]\" has id 3, expected 0 (as in the vocabulary of 5 pieces)"},
    {"/added_tokens/1/content", "", "added_tokens[1]: content is empty"},
    {"/added_tokens/1/content", "[UNK]", "added_tokens[1]: \"[UNK]\" was added before"},
    {"/added_tokens/1/lstrip", kMissing, "added_tokens[1]: key \"lstrip\" is missing"},
    {"/added_tokens/1/special", "no",
     "added_tokens[1].special: expected true or false, got \"no\""},
    {"/added_tokens/1",
     {{"id", 5},
      {"content", "\u0301"},
      {"single_word", false},
      {"lstrip", false},
      {"rstrip", false},
      {"normalized", true},
      {"special", false}},
     "added_tokens: the normal form of \"\u0301\" is empty"},
};

INSTANTIATE_TEST_SUITE_P(Faults, TokenizerJsonFaultTest, testing::ValuesIn(kFaults));

TEST(TokenizerJsonTest, RefusesWhatIsNoTokenizer) {
  for (const auto& [bytes, error] : std::initializer_list<std::pair<std::string, const char*>>{
           {"", "tokenizer.json: not JSON"},
           {"[]", "tokenizer.json: expected an object, got a list"},
           {"\"\\ud800\"", "tokenizer.json: not JSON"},
           {"{\"model\": {\"type\": \"\xFF\"}}", "tokenizer.json: not JSON"},
           {std::string(100000, '['), "tokenizer.json: nested deeper than 128 levels"}}) {
    EXPECT_THAT(ErrorOf(Tokenizer::FromJson(bytes)), StartsWith(error));
  }
}

// Every file that is cut off, or in which a part is of another type, is refused or works.
TEST(TokenizerJsonTest, SurvivesMutilatedFiles) {
  const std::string whole = Sound().dump();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Tokenizer::FromJson(whole.substr(0, size)).ok()) << size;
  }
  const json sound = Sound(), flat = sound.flatten();
  for (const auto& [pointer, unused] : flat.items()) {
    for (json::json_pointer place(pointer); !place.empty(); place.pop_back()) {
      for (const json& value : {json(), json(-1), json(1e300), json("x"), json(true), json::array(),
                                json::object(), json::array({sound["model"]})}) {
        json file = sound;
        file[place] = value;
        const auto tokenizer = Tokenizer::FromJson(file.dump());
        if (tokenizer.ok()) {
          Encode(**tokenizer, "Ab\u0301c <new> 漢字 [SEP]");
        } else {
          EXPECT_THAT(ErrorOf(tokenizer), StartsWith("tokenizer.json: "));
        }
      }
    }
  }
}

TEST(TokenizerJsonTest, ReadsFoldersWithoutTheFile) {
  namespace fs = std::filesystem;
  constexpr std::string_view kText = "the Hello worlds, caf\u00e9! <s>\n 12";
  int folders = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(PARTERRE_TEST_DATA) / "tokenizers/formats")) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path());
    const auto made = Tokenizer::FromFolder(entry.path());
    ASSERT_TRUE(made.ok()) << made.status();
    const auto expected = Tokenizer::FromFileOrFolder(entry.path() / "expected.json");
    ASSERT_TRUE(expected.ok()) << expected.status();
    EXPECT_THAT(Encode(**made, kText), testing::Not(testing::IsEmpty()));
    EXPECT_EQ(Encode(**made, kText), Encode(**expected, kText));
    EXPECT_EQ((*made)->model_type(), (*expected)->model_type());
    ++folders;
  }
  EXPECT_GE(folders, 13);
}

TEST(TokenizerJsonTest, ErrorsNameTheFile) {
  const std::filesystem::path folder = testing::TempDir();
  EXPECT_EQ(Tokenizer::FromFile(folder / "nowhere.json").status().code(),
            absl::StatusCode::kNotFound);
  const auto path = folder / "mine.json";
  std::ofstream(path) << "{\"model\": {\"type\": \"Abacus\"}}";
  EXPECT_EQ(ErrorOf(Tokenizer::FromFile(path)),
            "mine.json: model.type: \"Abacus\" is not known; known: BPE, Unigram, WordPiece");
}

}  // namespace
}  // namespace text
