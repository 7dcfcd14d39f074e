#include "ivy/http/json_writer.h"

#include <gtest/gtest.h>

namespace ivy {
namespace {

using std::literals::operator""sv;

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("a").BeginArray().Int(1).Int(2).BeginArray().EndArray().EndArray();
  json.Key("b").BeginObject().EndObject().Key("c").Null().Key("d").Bool(true).EndObject();
  EXPECT_EQ(out, R"({"a":[1,2,[]],"b":{},"c":null,"d":true})");
}

TEST(JsonWriter, EscapesWhatJsonAsksFor) {
  std::string out;
  JsonWriter(out).String("q\" b\\ n\n nul\0 del\x7f é 👍"sv);
  EXPECT_EQ(out, "\"q\\\" b\\\\ n\\n nul\\u0000 del\x7f é 👍\"");
}

TEST(JsonWriter, InvalidUtf8IsReplaced) {
  std::string out;
  AppendJsonString("a\xff\xc3z", out);
  EXPECT_EQ(out, "\"a\xef\xbf\xbd\xef\xbf\xbdz\"");
}

}  // namespace
}  // namespace ivy
