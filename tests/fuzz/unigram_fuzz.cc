#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/check.h"
#include "fuzz_input.h"
#include "text/models/model_scratch.h"
#include "text/models/unigram.h"

// Unigram, whose steps are chosen by SSE2 without a branch, whose pieces lie in a trie and whose
// long words are cut where nothing crosses, beside Viterbi's algorithm as it is written down:
// vocabularies of few characters with many equal scores, words of up to 2000 bytes.

namespace {

using Tokens = std::vector<text::Model::Token>;

constexpr std::string_view kCharacters[] = {"a", "b", "c", "é", "語", "\U0001F600"};
// The last two are in few vocabularies' pieces.
constexpr std::size_t kKnown = 4;
constexpr std::size_t kPieceCharactersMax = 6;
constexpr std::size_t kWordCharactersMax = 700;  // Several of Unigram's strides.

struct Case {
  std::vector<std::pair<std::string, double>> pieces;  ///< By id, with scores.
  std::optional<int32_t> unknown_id;
  bool byte_fallback = false;
  std::vector<std::string_view> word;  ///< Its characters.
};

std::string BytePiece(char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte);
  return {'<', '0', 'x', kDigits[value / 16], kDigits[value % 16], '>'};
}

/// What Unigram's header says, with nothing taken together.
class PlainUnigram {
 public:
  explicit PlainUnigram(const Case& given) : given_(given) {
    double lowest = std::numeric_limits<double>::infinity();
    for (const auto& [piece, score] : given.pieces) {
      ids_.emplace(piece, static_cast<int32_t>(ids_.size()));
      lowest = std::min(lowest, score);
    }
    unknown_score_ = lowest - 10;
  }

  Tokens Tokenize() const {
    const std::size_t length = given_.word.size();
    std::vector<Step> best(length + 1);  // To the place before each character, and to the end.
    best[0].score = 0;
    for (std::size_t begin = 0; begin < length; ++begin) {
      std::string piece;
      for (std::size_t end = begin + 1; end <= length && end - begin <= kPieceCharactersMax;
           ++end) {
        piece += given_.word[end - 1];
        const auto found = ids_.find(piece);
        if (found != ids_.end()) {
          const double score = given_.pieces[static_cast<std::size_t>(found->second)].second;
          Offer(best[end], {best[begin].score + score, begin, found->second});
        } else if (end == begin + 1) {
          Offer(best[end], {best[begin].score + unknown_score_, begin, Unknown()});
        }
      }
    }
    return Path(best);
  }

 private:
  static constexpr int32_t kDropped = -1;

  struct Step {
    double score = -std::numeric_limits<double>::infinity();
    std::size_t begin = 0;
    int32_t id = 0;
  };

  int32_t Unknown() const { return given_.unknown_id.value_or(kDropped); }

  static void Offer(Step& best, const Step& step) {
    if (step.score > best.score) best = step;
  }

  Tokens Path(const std::vector<Step>& best) const {
    std::vector<std::pair<std::size_t, std::size_t>> spans;  // From the last.
    std::vector<int32_t> ids;
    for (std::size_t end = given_.word.size(); end > 0; end = best[end].begin) {
      if (best[end].id == Unknown() && !ids.empty() && ids.back() == Unknown()) {
        spans.back().first = best[end].begin;
      } else {
        spans.emplace_back(best[end].begin, end);
        ids.push_back(best[end].id);
      }
    }
    Tokens tokens;
    for (std::size_t i = spans.size(); i-- > 0;) Append(spans[i], ids[i], tokens);
    return tokens;
  }

  void Append(std::pair<std::size_t, std::size_t> span, int32_t id, Tokens& tokens) const {
    std::string before, bytes;
    for (std::size_t i = 0; i < span.second; ++i) {
      (i < span.first ? before : bytes) += given_.word[i];
    }
    const auto begin = static_cast<uint32_t>(before.size());
    const auto end = static_cast<uint32_t>(begin + bytes.size());
    if (id != Unknown()) return tokens.push_back({id, begin, end});
    if (const auto found = ids_.find(bytes); found != ids_.end()) {
      return tokens.push_back({found->second, begin, end});
    }
    std::vector<int32_t> fallback;
    for (const char byte : bytes) {
      const auto found = ids_.find(BytePiece(byte));
      if (found != ids_.end()) fallback.push_back(found->second);
    }
    if (given_.byte_fallback && fallback.size() == bytes.size()) {
      for (const int32_t byte : fallback) tokens.push_back({byte, begin, end});
    } else if (given_.unknown_id) {
      tokens.push_back({id, begin, end});
    }
  }

  const Case& given_;
  std::unordered_map<std::string, int32_t> ids_;
  double unknown_score_;
};

void AddPiece(Case& made, std::string piece, double score) {
  const auto same = [&](const auto& other) { return other.first == piece; };
  if (std::none_of(made.pieces.begin(), made.pieces.end(), same)) {
    made.pieces.emplace_back(std::move(piece), score);
  }
}

/// A few bytes for many numbers: Numerical Recipes' generator.
class Numbers {
 public:
  explicit Numbers(uint32_t seed) : state_(seed) {}

  uint32_t Below(std::size_t end) {
    state_ = state_ * 1664525U + 1013904223U;
    return (state_ >> 8) % static_cast<uint32_t>(end);
  }

 private:
  uint32_t state_;
};

double DrawScore(Numbers& numbers) {
  switch (numbers.Below(16)) {
    case 0:
      return -40.0 * numbers.Below(16);  // Below that of unknown characters.
    case 1:
      return 12.0 + numbers.Below(30);  // So that unknown characters together may be a piece.
    default:
      return -0.5 * numbers.Below(8);  // Few, so that many ways are equal.
  }
}

Case Draw(FuzzInput& input) {
  Case made;
  Numbers numbers(input.Take<uint32_t>());
  // Also pieces of characters that are none themselves.
  const std::size_t known = input.Flag() ? kKnown : std::size(kCharacters);
  for (int64_t pieces = input.Number(1, 40); pieces > 0; --pieces) {
    std::string piece;
    for (auto left = 1 + numbers.Below(kPieceCharactersMax); left > 0; --left) {
      piece += kCharacters[numbers.Below(known)];
    }
    AddPiece(made, std::move(piece), DrawScore(numbers));
  }
  if (input.Flag()) {
    // Of all bytes of some characters.
    for (const std::string_view character : kCharacters) {
      if (numbers.Below(4) == 0) continue;
      for (const char byte : character) AddPiece(made, BytePiece(byte), -3);
    }
  }
  made.byte_fallback = input.Flag();
  if (input.Flag()) {
    made.unknown_id = static_cast<int32_t>(numbers.Below(made.pieces.size()));
  }
  const int64_t times = input.Number(1, 60);
  const std::string_view pattern = input.rest();
  for (int64_t i = 0; i < times; ++i) {
    for (const char c : pattern) {
      if (made.word.size() == kWordCharactersMax) return made;
      made.word.push_back(kCharacters[static_cast<unsigned char>(c) % std::size(kCharacters)]);
    }
  }
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const Case drawn = Draw(input);
  if (drawn.word.empty()) return 0;
  nlohmann::json json = {
      {"type", "Unigram"}, {"vocab", drawn.pieces}, {"byte_fallback", drawn.byte_fallback}};
  if (drawn.unknown_id) json["unk_id"] = static_cast<uint32_t>(*drawn.unknown_id);
  const auto model = text::Unigram::FromJson(common::JsonView(json, "tokenizer.json"), {});
  CHECK(model.ok()) << model.status();

  std::string word;
  for (const std::string_view character : drawn.word) word += character;
  text::ModelScratch scratch;
  Tokens tokens;
  std::vector<int32_t> ids;
  (*model)->TokenizeWord(word, scratch, tokens);
  (*model)->TokenizeWord(word, scratch, ids);
  const Tokens expected = PlainUnigram(drawn).Tokenize();
  CHECK(tokens.size() == expected.size() && ids.size() == expected.size())
      << tokens.size() << " tokens in place of " << expected.size() << " for " << word;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    CHECK(ids[i] == tokens[i].id && tokens[i].id == expected[i].id &&
          tokens[i].begin == expected[i].begin && tokens[i].end == expected[i].end)
        << "token " << i << " is " << tokens[i].id << " in place of " << expected[i].id << " for "
        << word;
  }
  return 0;
}
