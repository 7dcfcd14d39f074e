#include "bench/http_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace bench {
namespace {

using testing::HasSubstr;

ResponseHead Parsed(std::string_view bytes) {
  const auto head = ParseResponseHead(bytes);
  EXPECT_TRUE(head.ok()) << head.status();
  EXPECT_TRUE(head.ok() && head->has_value());
  return head.value_or(std::nullopt).value_or(ResponseHead{});
}

TEST(ParseResponseHead, ReadsStatusAndLengths) {
  const std::string_view head =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\ncontent-LENGTH:  12 \r\n\r\n";
  const ResponseHead parsed = Parsed(std::string(head) + "{\"data\": []}");
  EXPECT_EQ(parsed.status, 200);
  EXPECT_EQ(parsed.head_bytes, head.size());
  EXPECT_EQ(parsed.body_bytes, 12u);
  EXPECT_TRUE(parsed.keep_alive);
}

TEST(ParseResponseHead, SeesThatTheServerHangsUp) {
  EXPECT_FALSE(
      Parsed("HTTP/1.1 503 Busy\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n").keep_alive);
}

TEST(ParseResponseHead, ExpectsThatHttp10HangsUp) {
  EXPECT_FALSE(Parsed("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n").keep_alive);
  EXPECT_TRUE(
      Parsed("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n").keep_alive);
}

TEST(ParseResponseHead, WaitsForTheWholeHead) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n";
  for (size_t n = 0; n < head.size(); ++n) {
    const auto parsed = ParseResponseHead(std::string_view(head).substr(0, n));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_FALSE(parsed->has_value()) << n;
  }
  EXPECT_EQ(Parsed(head).body_bytes, 3u);
}

TEST(ParseResponseHead, RefusesWhatItCannotMeasure) {
  const struct {
    std::string bytes;
    const char* cause;
  } kCases[] = {
      {"SSH-2.0-OpenSSH\r\n\r\n", "SSH-2.0"},
      {"HTTP/1.1 OK\r\n\r\n", "expected HTTP/1.1"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "no Content-Length"},
      {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "no Content-Length"},
      {"HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n", "status 503"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000000\r\n\r\n", "at most"},
      {"HTTP/1.1 200 OK\r\n" + std::string(70'000, 'x'), "64 KiB"},
      {"-ERR", "-ERR"},  // Without the end of a head, which would not come.
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(std::string(ParseResponseHead(c.bytes).status().message()), HasSubstr(c.cause));
  }
}

}  // namespace
}  // namespace bench
