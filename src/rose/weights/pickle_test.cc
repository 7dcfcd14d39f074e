#include "rose/weights/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace rose {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Kind = PickleObject::Kind;
using std::string_literals::operator""s;

absl::StatusOr<Pickle> Parse(std::string_view bytes) {
  static constexpr std::string_view kGlobals[] = {"collections.OrderedDict", "a.b"};
  return Pickle::Parse(std::as_bytes(std::span(bytes)), "f.pt", kGlobals);
}

std::string Refusal(std::string_view bytes) { return std::string(Parse(bytes).status().message()); }

int64_t Int(const std::string& bytes) {
  const auto pickle = Parse(bytes);
  EXPECT_TRUE(pickle.ok()) << pickle.status();
  return pickle.ok() ? pickle->root().integer : -1;
}

TEST(Pickle, Numbers) {
  EXPECT_EQ(Int("K\xff."), 255);
  EXPECT_EQ(Int("M\x01\x02."), 0x201);
  EXPECT_EQ(Int("J\xfe\xff\xff\xff."), -2);
  EXPECT_EQ(Int("J\xff\xff\xff\x7f."), 0x7fffffff);
  EXPECT_EQ(Int("\x8a\0."s), 0);
  EXPECT_EQ(Int("\x8a\1\xff."), -1);
  EXPECT_EQ(Int("\x8a\5\0\0\0\0\1."s), int64_t{1} << 32);
  EXPECT_EQ(Int("\x8a\x08\0\0\0\0\0\0\0\x80."s), INT64_MIN);
  EXPECT_EQ(Int("\x88."), 1);
  EXPECT_EQ(Int("\x89."), 0);
  EXPECT_THAT(Refusal("\x8a\x09\0\0\0\0\0\0\0\0\1."s), HasSubstr("a number of 9 bytes"));
}

TEST(Pickle, ContainersHoldTheirItemsInOrder) {
  const std::string bytes = "\x80\2}q\0(X\1\0\0\0aK\1X\1\0\0\0b](K\2K\3eu."s;
  const auto pickle = Parse(bytes);
  ASSERT_TRUE(pickle.ok()) << pickle.status();
  const PickleObject& root = pickle->root();
  EXPECT_EQ(root.kind, Kind::kDict);
  ASSERT_EQ(root.items.size(), 4U);
  EXPECT_EQ(root.items[0]->text, "a");
  EXPECT_EQ(root.items[1]->integer, 1);
  EXPECT_EQ(root.items[3]->kind, Kind::kList);
  EXPECT_EQ(root.items[3]->items[1]->integer, 3);
}

TEST(Pickle, ACallIsRecordedOnly) {
  const auto pickle = Parse("ca\nb\nK\7\x85R.");
  ASSERT_TRUE(pickle.ok()) << pickle.status();
  EXPECT_EQ(pickle->root().kind, Kind::kCall);
  EXPECT_EQ(pickle->root().items[0]->text, "a.b");
  EXPECT_EQ(pickle->root().items[1]->items[0]->integer, 7);
}

TEST(Pickle, UnknownGlobalsAreNamed) {
  EXPECT_EQ(Refusal("cos\nsystem\n."),
            "f.pt: pickle, byte 0: os.system: expected tensors and dicts of them alone");
  EXPECT_THAT(Refusal("c\x01\xff\nx\n."), HasSubstr("??.x"));
}

TEST(Pickle, AnObjectMayHoldItself) {
  const auto pickle = Parse("]q\0h\0a."s);
  ASSERT_TRUE(pickle.ok()) << pickle.status();
  EXPECT_EQ(pickle->root().items[0], &pickle->root());
}

TEST(Pickle, MalformedOnesAreRefusedWithThePlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "byte 0: the pickle is cut off"},
      {"N", "byte 1: the pickle is cut off"},
      {"X\xff\xff\xff\xff.", "byte 0: the pickle is cut off"},
      {"cos", "byte 0: the pickle is cut off"},
      {".", "byte 0: the stack is empty"},
      {"(.", "byte 1: the stack is empty"},
      {"Nt.", "byte 1: no mark"},
      {"(K\1K\2\x87.", "byte 5: the stack is empty"},
      {"h\0."s, "byte 0: no such object"},
      {"q\0."s, "byte 0: the stack is empty"},
      {"Nr\xff\xff\xff\xff.", "byte 1: too many objects"},
      {"NNs.", "byte 2: items for what is no container"},
      {"NNa.", "byte 2: items for what is no container"},
      {"](Ku", "byte 4: the pickle is cut off"},
      {"}(K\1u.", "byte 4: a key without a value"},
      {"NNR.", "byte 2: a call of what is no global"},
      {"ccollections\nOrderedDict\nK\1\x85R.", "byte 28: OrderedDict: expected no arguments"},
      {"NNb.", "byte 2: attributes of what is no dict"},
      {"i.", "byte 0: opcode 0x69"},
      {"\x80\4.", "byte 0: expected protocol 2, torch.save's own, got 4"},
  };
  for (const auto& [bytes, message] : cases) {
    EXPECT_THAT(Refusal(bytes), StartsWith("f.pt: pickle, " + message));
  }
}

TEST(Pickle, ObjectsAreBounded) {
  std::string bytes(std::size_t{3} << 20, ']');
  EXPECT_THAT(Refusal(bytes + "."), HasSubstr("too many objects"));
  bytes.resize((std::size_t{32} << 20) + 1, 'N');
  EXPECT_THAT(Refusal(bytes), HasSubstr("too large"));
}

}  // namespace
}  // namespace rose
