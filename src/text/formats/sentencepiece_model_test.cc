#include "text/formats/sentencepiece_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "common/file.h"

namespace text {
namespace {

using ::testing::HasSubstr;

std::string ModelBytes() {
  const auto path = std::filesystem::path(PARTERRE_TEST_DATA) / "tokenizers" / "formats" / "gemma" /
                    "tokenizer.model";
  auto bytes = common::ReadFile(path);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return *std::move(bytes);
}

TEST(SentencePieceModelTest, ReadsPiecesAndKinds) {
  const auto model = SentencePieceModel::Parse(ModelBytes(), "tokenizer.model");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->kind, SentencePieceModel::Kind::kBpe);
  EXPECT_EQ(model->unknown_id, 3);
  EXPECT_EQ(model->charsmap, "");
  ASSERT_GT(model->pieces.size(), 7u);
  EXPECT_EQ(model->pieces[0].text, "<pad>");
  EXPECT_EQ(model->pieces[0].kind, SentencePieceModel::PieceKind::kControl);
  EXPECT_EQ(model->pieces[3].kind, SentencePieceModel::PieceKind::kUnknown);
  EXPECT_EQ(model->pieces[4].kind, SentencePieceModel::PieceKind::kUserDefined);
  EXPECT_EQ(model->pieces.back().kind, SentencePieceModel::PieceKind::kNormal);
  EXPECT_LT(model->pieces.back().score, 0);
}

TEST(SentencePieceModelTest, RefusesWhatIsMalformed) {
  const auto error = [](std::string_view bytes) {
    return std::string(SentencePieceModel::Parse(bytes, "m").status().message());
  };
  EXPECT_THAT(error(""), HasSubstr("m: expected a SentencePiece model"));
  EXPECT_THAT(error("\x0A\x7F"), HasSubstr("malformed behind 0 pieces"));
  EXPECT_THAT(error(std::string_view("\x0A\x00", 2)), HasSubstr("behind 1 pieces")) << "no text";
  EXPECT_THAT(error("\x0A\x03\x0A\x01\xFF"), HasSubstr("behind 1 pieces")) << "no UTF-8";
  EXPECT_THAT(error("\x0B"), HasSubstr("malformed")) << "a group";
  EXPECT_THAT(error("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), HasSubstr("malformed"));
}

TEST(SentencePieceModelTest, SurvivesDamage) {
  const std::string bytes = ModelBytes();
  std::mt19937 random(3);
  std::size_t read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = bytes;
    for (unsigned n = random() % 8; n > 0; --n) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    if (random() % 2 == 0) damaged.resize(random() % damaged.size());
    read += SentencePieceModel::Parse(damaged, "m").ok() ? 1 : 0;
  }
  EXPECT_GT(read, 100u);
  EXPECT_LT(read, 2900u);
}

}  // namespace
}  // namespace text
