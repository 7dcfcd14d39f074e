#include "wire/host_port.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace wire {
namespace {

TEST(ParseHostPort, TakesNamesAndAddresses) {
  const std::pair<const char*, HostPort> cases[] = {
      {"localhost:1", {"localhost", 1}},
      {"tulip-0.tulips.prod.svc.cluster.local.:50051",
       {"tulip-0.tulips.prod.svc.cluster.local.", 50051}},
      {"compose_tulip_1:65535", {"compose_tulip_1", 65535}},
      {"3com.example:80", {"3com.example", 80}},
      {"10.0.0.7:50051", {"10.0.0.7", 50051}},
      {"[::1]:50051", {"::1", 50051}},
      {"[fe80::1%eth0]:50051", {"fe80::1%eth0", 50051}},
  };
  for (const auto& [text, expected] : cases) {
    const auto parsed = ParseHostPort(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(parsed->host, expected.host) << text;
    EXPECT_EQ(parsed->port, expected.port) << text;
  }
}

TEST(ParseHostPort, TakesNothingElse) {
  const std::string long_name(64, 'a');
  const std::string cases[] = {"",
                               ":",
                               ":1",
                               "host",
                               "host:",
                               "host:0",
                               "host:65536",
                               "host:99999999999999999999",
                               "host:+1",
                               "host:-1",
                               "host:1x",
                               "host: 1",
                               " host:1",
                               "http://host:1",
                               "http://host",
                               "host:1/",
                               "user@host:1",
                               "a,b:1",
                               "a..b:1",
                               ".a:1",
                               ".:1",
                               "-a:1",
                               "1.2.3:1",
                               "1.2.3.256:1",
                               "::1:50051",
                               "[::1]",
                               "[::1]:",
                               "[]:1",
                               "[host]:1",
                               "[10.0.0.7]:1",
                               "[::1%]:1",
                               "[::1:1",
                               "::1]:1",
                               {"h\0st:1", 6},
                               long_name + ":1",
                               long_name + "." + long_name + ":1"};
  for (const std::string& text : cases) {
    EXPECT_FALSE(ParseHostPort(text).has_value()) << text;
  }
}

TEST(JoinHostPort, PutsIpv6InBrackets) {
  EXPECT_EQ(JoinHostPort("localhost", 80), "localhost:80");
  EXPECT_EQ(JoinHostPort("10.0.0.7", 50051), "10.0.0.7:50051");
  EXPECT_EQ(JoinHostPort("::1", 50051), "[::1]:50051");
  EXPECT_EQ(JoinHostPort("fe80::1%eth0", 50051), "[fe80::1%eth0]:50051");
  EXPECT_EQ(JoinHostPort("[::1]", 50051), "[::1]:50051");
}

}  // namespace
}  // namespace wire
