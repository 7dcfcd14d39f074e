#include "text/models/bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "text/golden_lines.h"
#include "text/models/model_scratch.h"

namespace text {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What Hugging Face `tokenizers` makes of words: see tests/data/tokenizers/bpe/make_cases.py.
const std::vector<nlohmann::json>& Layouts() {
  static const auto& layouts =
      *new std::vector<nlohmann::json>(ReadGoldenLines("bpe/cases.jsonl.gz"));
  return layouts;
}

const nlohmann::json& Layout(std::string_view name) {
  for (const auto& layout : Layouts()) {
    if (layout.at("name") == name) return layout;
  }
  ADD_FAILURE() << name;
  return Layouts().at(0);
}

PieceForm FormOf(const nlohmann::json& layout) {
  const std::string& name = layout.at("form").get_ref<const std::string&>();
  return {.kind = name == "byte_level"  ? PieceForm::Kind::kByteLevel
                  : name == "metaspace" ? PieceForm::Kind::kMetaspace
                                        : PieceForm::Kind::kPlain};
}

absl::StatusOr<std::unique_ptr<Model>> Read(const nlohmann::json& model,
                                            const PieceForm& form = {}) {
  return Bpe::FromJson(common::JsonView(model, "model.json"), form);
}

std::unique_ptr<Bpe> MustRead(const nlohmann::json& model, const PieceForm& form = {}) {
  auto read = Read(model, form);
  EXPECT_TRUE(read.ok()) << read.status();
  return std::unique_ptr<Bpe>(static_cast<Bpe*>(read->release()));
}

std::vector<int32_t> Ids(const Bpe& bpe, std::string_view word) {
  ModelScratch scratch;
  std::vector<int32_t> ids;
  bpe.TokenizeWord(word, scratch, ids);
  return ids;
}

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST(BpeTest, GivesTheLibrarysIdsAndPlaces) {
  for (const auto& layout : Layouts()) {
    const auto bpe = MustRead(layout.at("model"), FormOf(layout));
    ModelScratch scratch;
    for (const auto& entry : layout.at("cases")) {
      const std::string word = FromHex(entry[0]);
      const std::string context = layout.at("name").get<std::string>() + ": " + entry[0].dump();
      EXPECT_EQ(Ids(*bpe, word), entry[1].get<std::vector<int32_t>>()) << context;
      std::vector<Model::Token> tokens;
      bpe->TokenizeWord(word, scratch, tokens);
      std::vector<int32_t> ids;
      std::vector<uint32_t> places;
      for (const Model::Token& token : tokens) {
        ids.push_back(token.id);
        places.insert(places.end(), {token.begin, token.end});
      }
      EXPECT_EQ(ids, entry[1].get<std::vector<int32_t>>()) << context;
      EXPECT_EQ(places, entry[2].get<std::vector<uint32_t>>()) << context;
    }
  }
}

TEST(BpeTest, WalksWhereItIsSure) {
  const std::set<std::string> merging = {"affixes", "byte-merges", "suffix", "unknown-merges"};
  for (const auto& layout : Layouts()) {
    const std::string name = layout.at("name");
    const auto bpe = MustRead(layout.at("model"), FormOf(layout));
    EXPECT_EQ(bpe->walks(), !merging.contains(name)) << name;
    EXPECT_GT(bpe->memory_bytes(), bpe->vocabulary().memory_bytes());
  }
}

/// Byte-level encoding as its definition says it: the lowest rank first, of equal ones the
/// leftmost.
class PlainMerging {
 public:
  explicit PlainMerging(const nlohmann::json& model) : vocab_(model.at("vocab")) {
    const PieceForm form{.kind = PieceForm::Kind::kByteLevel};
    for (const auto& [piece, id] : vocab_.items()) {
      const auto bytes = form.ToWordBytes(piece);
      if (bytes && bytes->size() == 1) pieces_[bytes->front()] = piece;
      if (bytes) bytes_.push_back(*bytes);
    }
    int rank = 0;
    for (const auto& merge : model.at("merges")) {
      const std::string both =
          merge.is_string() ? merge.get<std::string>()
                            : merge[0].get<std::string>() + " " + merge[1].get<std::string>();
      ranks_[both] = rank++;
    }
  }

  std::vector<int32_t> Encode(std::string_view word) const {
    std::vector<std::string> parts;
    for (const char byte : word) parts.push_back(pieces_.at(byte));
    while (true) {
      std::pair<int, std::size_t> best = {std::numeric_limits<int>::max(), 0};
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto rank = ranks_.find(parts[i] + " " + parts[i + 1]);
        if (rank != ranks_.end()) best = std::min(best, {rank->second, i});
      }
      if (best.first == std::numeric_limits<int>::max()) break;
      const auto at = parts.begin() + static_cast<std::ptrdiff_t>(best.second);
      *at += at[1];
      parts.erase(at + 1);
    }
    std::vector<int32_t> ids;
    for (const std::string& part : parts) ids.push_back(vocab_.at(part).get<int32_t>());
    return ids;
  }

  /// All pieces as they stand in words.
  const std::vector<std::string>& bytes() const { return bytes_; }

 private:
  const nlohmann::json& vocab_;
  std::map<char, std::string> pieces_;
  std::vector<std::string> bytes_;
  std::map<std::string, int, std::less<>> ranks_;
};

/// Words made to go wrong: pieces put together, their beginnings, ends and runs, and random bytes.
std::string NastyWord(std::mt19937& random, const std::vector<std::string>& pieces) {
  const auto below = [&](std::size_t n) { return random() % n; };
  std::string word;
  for (std::size_t part = 1 + below(5); part > 0; --part) {
    const std::string& piece = pieces[below(pieces.size())];
    switch (below(5)) {
      case 0:
        word += piece.substr(below(piece.size()));
        break;
      case 1:
        word += piece.substr(0, 1 + below(piece.size()));
        break;
      case 2:
        for (std::size_t i = 1 + below(12); i > 0; --i) word += piece.substr(0, 2);
        break;
      case 3:
        for (std::size_t i = 1 + below(6); i > 0; --i) word += static_cast<char>(below(256));
        break;
      default:
        word += piece;
    }
  }
  return word;
}

void ExpectAsPlainMerging(const nlohmann::json& model, int words) {
  const auto bpe = MustRead(model, {.kind = PieceForm::Kind::kByteLevel});
  const PlainMerging plain(model);
  std::mt19937 random(7);
  for (int i = 0; i < words; ++i) {
    const std::string word = NastyWord(random, plain.bytes());
    ASSERT_EQ(Ids(*bpe, word), plain.Encode(word)) << testing::PrintToString(word);
  }
}

TEST(BpeTest, EncodesNastyWordsAsPlainMergingDoes) {
  ExpectAsPlainMerging(Layout("byte-level").at("model"), 20'000);
  ExpectAsPlainMerging(Layout("disorder").at("model"), 5'000);
}

/// A byte-level model of a, b, c, d and the pieces of `merges`.
nlohmann::json ByteModel(const std::vector<std::string>& merges) {
  nlohmann::json vocab = {{"a", 0}, {"b", 1}, {"c", 2}, {"d", 3}};
  for (const std::string& merge : merges) {
    std::string merged = merge;
    std::erase(merged, ' ');
    if (!vocab.contains(merged)) vocab[merged] = vocab.size();
  }
  return {{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}};
}

TEST(BpeTest, EncodesAllWordsOfFourLettersWhateverTheMerges) {
  std::mt19937 random(11);
  for (int round = 0; round < 150; ++round) {
    // Merges of pieces so far, often before those of their parts.
    std::vector<std::string> pieces = {"a", "b", "c", "d"}, merges;
    while (merges.size() < 12) {
      const std::string left = pieces[random() % pieces.size()];
      const std::string right = pieces[random() % pieces.size()];
      if (left.size() + right.size() > 5) continue;
      const auto at = static_cast<std::ptrdiff_t>(random() % (merges.size() + 1));
      merges.insert(random() % 3 == 0 ? merges.begin() + at : merges.end(), left + " " + right);
      pieces.push_back(left + right);
    }
    const nlohmann::json model = ByteModel(merges);
    const auto bpe = MustRead(model, {.kind = PieceForm::Kind::kByteLevel});
    ASSERT_TRUE(bpe->walks());
    const PlainMerging plain(model);
    for (unsigned code = 0; code < 1u << 12; ++code) {
      std::string word;
      for (unsigned i = 0; i < 6; ++i) word.push_back("abcd"[code >> 2 * i & 3]);
      ASSERT_EQ(Ids(*bpe, word), plain.Encode(word)) << word << " by " << model;
    }
  }
}

TEST(BpeTest, EncodesNastyWordsOfQwen3AsPlainMergingDoes) {
  const std::filesystem::path path = PARTERRE_TEST_DATA "/tokenizers/qwen3.tokenizer.json.gz";
  ExpectAsPlainMerging(nlohmann::json::parse(ReadCaseFile(path)).at("model"), 20'000);
}

TEST(BpeTest, EncodesLongWordsAsTheQueueDoes) {
  const nlohmann::json& model = Layout("byte-level").at("model");
  const auto walking = MustRead(model, {.kind = PieceForm::Kind::kByteLevel});
  ASSERT_TRUE(walking->walks());
  // A suffix that no word has puts the same merges on the queue.
  auto with_suffix = model;
  with_suffix["end_of_word_suffix"] = "</w>";
  const auto merging = MustRead(with_suffix, {.kind = PieceForm::Kind::kByteLevel});
  ASSERT_FALSE(merging->walks());
  constexpr std::size_t kSize = 1 << 20;
  std::string random_bytes, letters;
  std::mt19937 random(3);
  while (random_bytes.size() < kSize) random_bytes.push_back(static_cast<char>(random() % 256));
  while (letters.size() < kSize) letters.push_back("eatinos "[random() % 8]);
  for (const std::string& word :
       {std::string(kSize, 'a'), std::string(kSize, ' '), random_bytes, letters}) {
    // The last character has a piece of its own there, and stays alone.
    std::vector<int32_t> expected = Ids(*merging, word + "#");
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(Ids(*walking, word), expected);
  }
}

TEST(BpeTest, AllocatesOnlyWhileScratchGrows) {
  for (const char* const name : {"byte-level", "disorder", "llama"}) {
    const auto bpe = MustRead(Layout(name).at("model"), FormOf(Layout(name)));
    ModelScratch scratch;
    std::vector<int32_t> ids;
    const std::string word = "internationalization\u00E9\u4E2D and so on";
    bpe->TokenizeWord(word, scratch, ids);
    const auto capacities = [&] {
      const BpeScratch& bpe_scratch = scratch.bpe;
      return std::vector<std::size_t>{bpe_scratch.pieces.capacity(), bpe_scratch.dead.capacity(),
                                      bpe_scratch.symbols.capacity(), bpe_scratch.merges.capacity(),
                                      bpe_scratch.written.capacity()};
    };
    const auto before = capacities();
    for (std::size_t size = 1; size <= word.size(); ++size) {
      bpe->TokenizeWord(word.substr(0, size), scratch, ids);
    }
    EXPECT_EQ(capacities(), before) << name;
  }
}

/// A model of a, b, ab, abb and an unknown piece.
nlohmann::json SmallModel() {
  return nlohmann::json::parse(R"({
    "type": "BPE",
    "vocab": {"a": 0, "b": 1, "ab": 2, "abb": 3, "?": 4},
    "merges": ["a b", "ab b"]})");
}

TEST(BpeTest, ReadsBothFormsOfMerges) {
  auto model = SmallModel();
  EXPECT_THAT(Ids(*MustRead(model), "abba"), ElementsAre(3, 0));
  model["merges"] = {"#version: 0.2", "a b", "ab b"};
  EXPECT_THAT(Ids(*MustRead(model), "abba"), ElementsAre(3, 0));
  model["merges"] = nlohmann::json::parse(R"([["a", "b"], ["ab", "b"]])");
  EXPECT_THAT(Ids(*MustRead(model), "abba"), ElementsAre(3, 0));
  model["merges"] = nlohmann::json::array();
  EXPECT_THAT(Ids(*MustRead(model), "ab"), ElementsAre(0, 1));
}

TEST(BpeTest, OfTheSameMergeTwiceTheLastCounts) {
  auto model = SmallModel();
  model["vocab"]["bb"] = 5u;
  model["merges"] = {"a b", "b b", "ab b", "a b"};
  // "a b" comes behind "b b", and behind its own result: ranks no longer rise.
  const auto bpe = MustRead(model);
  EXPECT_THAT(Ids(*bpe, "abb"), ElementsAre(0, 5));
  EXPECT_THAT(Ids(*bpe, "ab"), ElementsAre(2));
}

TEST(BpeTest, UnknownCharacters) {
  auto model = SmallModel();
  EXPECT_THAT(Ids(*MustRead(model), "xaxxb"), ElementsAre(2)) << "left out, merged over";
  model["unk_token"] = "?";
  EXPECT_THAT(Ids(*MustRead(model), "xaxxb"), ElementsAre(4, 0, 4, 4, 1));
  model["fuse_unk"] = true;
  EXPECT_THAT(Ids(*MustRead(model), "xaxxb"), ElementsAre(4, 0, 4, 1));
  EXPECT_THAT(Ids(*MustRead(model), "\xE4\xB8"), ElementsAre(4)) << "a character cut off";
}

std::string ErrorOf(const nlohmann::json& model) {
  return std::string(Read(model).status().message());
}

TEST(BpeTest, NamesWhatIsWrong) {
  EXPECT_EQ(ErrorOf({{"vocab", nlohmann::json::object()}}),
            "model.json: key \"merges\" is missing");
  const auto with = [](const char* key, nlohmann::json value) {
    auto model = SmallModel();
    model[key] = std::move(value);
    return ErrorOf(model);
  };
  EXPECT_THAT(with("cache_capacity", 1), HasSubstr("cache_capacity: key is not known; known: "));
  EXPECT_EQ(with("dropout", 0.1), "model.json: dropout: expected null or 0, got 0.1");
  EXPECT_EQ(with("dropout", 0.0), "");
  EXPECT_EQ(with("dropout", nullptr), "");
  EXPECT_EQ(with("unk_token", "!"),
            "model.json: unk_token: expected a piece of model.vocab, got \"!\"");
  EXPECT_EQ(with("fuse_unk", 1), "model.json: fuse_unk: expected true or false, got 1");
  EXPECT_EQ(with("merges", "a b"), "model.json: merges: expected a list of merges, got \"a b\"");
  const std::string expected = "model.json: merges[1]: expected \"a b\" or [\"a\", \"b\"], got ";
  for (const nlohmann::json& bad :
       {nlohmann::json("ab"), nlohmann::json("a b b"), nlohmann::json({"a"}),
        nlohmann::json({"a", 1}), nlohmann::json(5), nlohmann::json({"a", "b", "b"})}) {
    EXPECT_THAT(with("merges", {"a b", bad}), HasSubstr(expected)) << bad;
  }
  EXPECT_EQ(with("merges", {"a x"}), "model.json: merges[0]: \"x\" is not in model.vocab");
  EXPECT_EQ(with("merges", {"b a"}), "model.json: merges[0]: \"ba\" is not in model.vocab");
  EXPECT_EQ(with("continuing_subword_prefix", "##"),
            "model.json: merges[0]: expected a second piece that begins with \"##\", got \"a b\"");
}

TEST(BpeTest, LeavesOutBytesWithoutAPiece) {
  const auto bpe = MustRead(ByteModel({"a b", "ab c"}), {.kind = PieceForm::Kind::kByteLevel});
  EXPECT_THAT(Ids(*bpe, "xaxbxcx"), ElementsAre(5));
  EXPECT_THAT(Ids(*bpe, "x"), IsEmpty());
  EXPECT_THAT(Ids(*bpe, std::string(BpeShortWords::kBytesMax + 1, 'x')), IsEmpty());
}

TEST(BpeTest, EncodesWordsAroundTheLongestThatIsMerged) {
  const nlohmann::json model = ByteModel({"a b", "c d", "ab cd", "d a", "b b"});
  const auto bpe = MustRead(model, {.kind = PieceForm::Kind::kByteLevel});
  const PlainMerging plain(model);
  std::mt19937 random(5);
  for (std::size_t size = 40; size < BpeShortWords::kBytesMax + 20; ++size) {
    for (const std::string_view letters : {"abcd", "aaab", "c", "cd"}) {
      std::string word;
      while (word.size() < size) word.push_back(letters[random() % letters.size()]);
      ASSERT_EQ(Ids(*bpe, word), plain.Encode(word)) << word;
    }
  }
}

TEST(BpeTest, RefusesMoreMergesThanItCanNumber) {
  auto model = SmallModel();
  model["merges"] = std::vector<nlohmann::json>(BpePairs::kEnd);
  EXPECT_THAT(ErrorOf(model), HasSubstr("expected up to 2097151 together"));
}

TEST(BpeTest, AnUnknownPieceThatIsNeverNeededMayBeMissing) {
  nlohmann::json model = Layout("byte-level").at("model");
  model["unk_token"] = "<not there>";
  EXPECT_TRUE(Read(model, {.kind = PieceForm::Kind::kByteLevel}).ok());
  EXPECT_FALSE(Read(model).ok());
}

TEST(BpeTest, AnEmptyVocabularyGivesNothing) {
  const auto bpe =
      MustRead({{"vocab", nlohmann::json::object()}, {"merges", nlohmann::json::array()}});
  EXPECT_THAT(Ids(*bpe, "abc"), IsEmpty());
}

}  // namespace
}  // namespace text
