#include "bench/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

using testing::HasSubstr;

TEST(ParseUrl, ReadsHostPortAndPrefix) {
  const absl::StatusOr<Url> url = ParseUrl("http://127.0.0.1:8080/base/path/");
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->host, "127.0.0.1");
  EXPECT_EQ(url->port, 8080);
  EXPECT_EQ(url->prefix, "/base/path");
  EXPECT_EQ(Authority(*url), "127.0.0.1:8080");
}

TEST(ParseUrl, TakesPort80AndNoPrefixByDefault) {
  const absl::StatusOr<Url> url = ParseUrl("http://localhost/");
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->host, "localhost");
  EXPECT_EQ(url->port, 80);
  EXPECT_EQ(url->prefix, "");
}

TEST(ParseUrl, ReadsIpv6InBrackets) {
  const absl::StatusOr<Url> url = ParseUrl("http://[::1]:9");
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, 9);
  EXPECT_EQ(Authority(*url), "[::1]:9");
}

TEST(ParseUrl, RefusesTheRestByItsCause) {
  const struct {
    const char* text;
    const char* cause;
  } kCases[] = {
      {"", "no http://"},
      {"https://host", "no http://"},
      {"127.0.0.1:8080", "no http://"},
      {"http://", "no host"},
      {"http://:80", "no host"},
      {"http://[::1", "no host"},
      {"http://host:", "port"},
      {"http://host:0", "port"},
      {"http://host:65536", "port"},
      {"http://host:80x", "port"},
      {"http://[::1]80", "port"},
      {"http://user@host", "user name"},
      {"http://host/?q=1", "query"},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Url> url = ParseUrl(c.text);
    EXPECT_EQ(url.status().code(), absl::StatusCode::kInvalidArgument) << c.text;
    EXPECT_THAT(std::string(url.status().message()), HasSubstr(c.cause)) << c.text;
  }
}

}  // namespace
}  // namespace bench
