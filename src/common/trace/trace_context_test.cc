#include "common/trace/trace_context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "common/hex.h"

namespace common {
namespace {

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kSpan = "b7ad6b7169203331";
const std::string kParent = "00-" + kTrace + "-" + kSpan + "-01";

std::string StateOf(const std::string& state) { return ReadTraceContext(kParent, state).state; }

TEST(TraceContext, WhatIsReadIsWritten) {
  const TraceContext context = ReadTraceContext(kParent, "vendor=value");
  ASSERT_TRUE(context.valid());
  EXPECT_EQ(Hex(context.trace_id), kTrace);
  EXPECT_EQ(Hex(context.span_id), kSpan);
  EXPECT_TRUE(context.sampled);
  EXPECT_EQ(context.state, "vendor=value");
  EXPECT_EQ(TraceParent(context), kParent);
  EXPECT_EQ(TraceNote(context), " (trace " + kTrace + ")");
  EXPECT_EQ(TraceNote({}), "");
}

TEST(TraceContext, ValidParents) {
  const std::string ids = kTrace + "-" + kSpan;
  const struct {
    std::string parent;
    bool sampled;
  } cases[] = {
      {"00-" + ids + "-00", false},  {"00-" + ids + "-01", true},
      {"00-" + ids + "-fe", false},  {"00-" + ids + "-ff", true},
      {"01-" + ids + "-01", true},   {"cc-" + ids + "-01-what-comes", true},
      {"fe-" + ids + "-00-", false},
  };
  for (const auto& [parent, sampled] : cases) {
    const TraceContext context = ReadTraceContext(parent, "");
    EXPECT_TRUE(context.valid()) << parent;
    EXPECT_EQ(context.sampled, sampled) << parent;
    // Of the version that is known here, without flags that are not.
    EXPECT_EQ(TraceParent(context), "00-" + ids + (sampled ? "-01" : "-00"));
  }
}

TEST(TraceContext, MalformedParentsAreOfNoTrace) {
  const std::string ids = kTrace + "-" + kSpan;
  const std::string cases[] = {
      "",
      "00",
      "ff-" + ids + "-01",
      "FF-" + ids + "-01",
      "0x-" + ids + "-01",
      "00-" + ids,
      "00-" + ids + "-",
      "00-" + ids + "-1",
      "00-" + ids + "-0g",
      "00-" + ids + "-01-",
      "00-" + ids + "-01-more",
      "00-" + ids + "-011",
      "01-" + ids + "-01.more",
      "00-" + std::string(32, '0') + "-" + kSpan + "-01",
      "00-" + kTrace + "-" + std::string(16, '0') + "-01",
      "00-0AF7651916CD43DD8448EB211C80319C-" + kSpan + "-01",
      "00-" + kTrace + "-B7AD6B7169203331-01",
      "00-" + kTrace + "-" + kSpan + "-0A",
      "00_" + kTrace + "_" + kSpan + "_01",
      "00-" + kTrace.substr(1) + "-" + kSpan + "-01-",
      " 00-" + ids + "-01",
      "00-" + ids + "-01 ",
  };
  for (const std::string& parent : cases) {
    const TraceContext context = ReadTraceContext(parent, "vendor=value");
    EXPECT_FALSE(context.valid()) << parent;
    EXPECT_EQ(context.state, "") << parent;
    EXPECT_EQ(context.span_id, SpanId{}) << parent;
  }
}

TEST(TraceContext, ValidStates) {
  EXPECT_EQ(StateOf(""), "");
  EXPECT_EQ(StateOf("a=1"), "a=1");
  EXPECT_EQ(StateOf("a=1,b=2"), "a=1,b=2");
  EXPECT_EQ(StateOf(" a=1 ,\t,, b=2\t"), "a=1,b=2");
  EXPECT_EQ(StateOf("t0*_-/@v*_-/=!~"), "t0*_-/@v*_-/=!~");
  EXPECT_EQ(StateOf("0tenant@vendor=x y"), "0tenant@vendor=x y");
  EXPECT_EQ(StateOf(std::string(256, 'a') + "=1"), std::string(256, 'a') + "=1");
  EXPECT_EQ(StateOf("a=" + std::string(256, 'v')), "a=" + std::string(256, 'v'));
  const std::string tenant = std::string(241, 't') + "@" + std::string(14, 's') + "=1";
  EXPECT_EQ(StateOf(tenant), tenant);
}

TEST(TraceContext, MalformedStatesAreDropped) {
  const std::string cases[] = {
      "a",
      "=1",
      "a=",
      "A=1",
      "0a=1",
      "a b=1",
      "a=1=2",
      "a=\x80",
      "a=1\t2",
      "@v=1",
      "t@=1",
      "t@0v=1",
      "t@v@w=1",
      "a=1,b",
      "a.b=1",
      std::string(257, 'a') + "=1",
      "a=" + std::string(257, 'v'),
      std::string(242, 't') + "@s=1",
      "t@" + std::string(15, 's') + "=1",
  };
  for (const std::string& state : cases) EXPECT_EQ(StateOf(state), "") << state;
}

TEST(TraceContext, StatesAreBounded) {
  std::string members;
  for (int i = 0; i < 32; ++i) members += (i == 0 ? "" : ",") + ("k" + std::to_string(i)) + "=v";
  EXPECT_EQ(StateOf(members), members);
  EXPECT_EQ(StateOf(members + ",one=more"), "");
  const std::string first = "first=" + std::string(250, 'v');
  const std::string second = "second=" + std::string(240, 'v');
  EXPECT_EQ(StateOf(first + "," + second), first + "," + second);
  EXPECT_EQ(StateOf(first + "," + second + ",third=" + std::string(9, 'v') + ",d=1"),
            first + "," + second);
}

/// Whatever bytes come, what is taken of them is as the recommendation wants it, and read again as
/// it is.
TEST(TraceContext, WhatIsTakenCanBeSentOn) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t end) { return random() % end; };
  const auto spoil = [&](std::string text) {
    constexpr std::string_view kBytes = "0aAfz-=,@ \t~\x7f\xff";
    for (std::size_t i = below(4); i > 0; --i) {
      const std::size_t at = below(text.size());
      if (below(3) == 0) text.erase(at, 1);
      text[std::min(at, text.size() - 1)] = kBytes[below(kBytes.size())];
    }
    return text;
  };
  int valid = 0;
  for (int i = 0; i < 20'000; ++i) {
    const TraceContext context = ReadTraceContext(spoil(kParent), spoil("a=1, tenant@v=x y ,b=2"));
    if (!context.valid()) continue;
    ++valid;
    const TraceContext again = ReadTraceContext(TraceParent(context), context.state);
    EXPECT_EQ(again.trace_id, context.trace_id);
    EXPECT_EQ(again.span_id, context.span_id);
    EXPECT_EQ(again.sampled, context.sampled);
    EXPECT_EQ(again.state, context.state);
    EXPECT_TRUE(std::ranges::all_of(context.state, [](char c) { return c >= ' ' && c <= '~'; }));
  }
  EXPECT_GT(valid, 1000);
}

}  // namespace
}  // namespace common
