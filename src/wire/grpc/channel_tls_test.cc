#include "wire/grpc/channel_tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace wire {
namespace {

using ::testing::HasSubstr;

TEST(ChannelTlsTest, FilesAreReadOrNamed) {
  const auto tls = ChannelTls::Create({.authority = "/none/ca.pem"});
  EXPECT_THAT(std::string(tls.status().message()), HasSubstr("/none/ca.pem"));
}

TEST(ChannelTlsTest, PlainTextStaysAsItIs) {
  const auto tls = ChannelTls::Create({});
  ASSERT_TRUE(tls.ok()) << tls.status();
  const auto before = (*tls)->credentials();
  ASSERT_NE(before, nullptr);
  EXPECT_TRUE((*tls)->Reload().ok());
  EXPECT_EQ((*tls)->credentials(), before);
}

}  // namespace
}  // namespace wire
