#include "hub/download/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "hub/temp_folder.h"

namespace hub {
namespace {

using testing::HasSubstr;

absl::StatusOr<HubSettings> Read(std::map<std::string, std::string> variables) {
  variables.try_emplace("HOME", "/home/user");
  return ReadHubSettings([&](const char* name) -> const char* {
    const auto variable = variables.find(name);
    return variable == variables.end() ? nullptr : variable->second.c_str();
  });
}

TEST(HubSettingsTest, FindsTheCacheAsHuggingFaceDoes) {
  EXPECT_EQ(Read({})->cache, "/home/user/.cache/huggingface/hub");
  std::map<std::string, std::string> variables = {{"XDG_CACHE_HOME", "/xdg"}};
  EXPECT_EQ(Read(variables)->cache, "/xdg/huggingface/hub");
  variables["HF_HOME"] = "~/hf";
  EXPECT_EQ(Read(variables)->cache, "/home/user/hf/hub");
  variables["HF_HUB_CACHE"] = "/cache";
  EXPECT_EQ(Read(variables)->cache, "/cache");
  variables["HF_HUB_CACHE"] = "";
  EXPECT_EQ(Read(variables)->cache, "/home/user/hf/hub");
  EXPECT_THAT(Read({{"HOME", ""}}).status().message(), HasSubstr("HF_HOME: not set"));
}

TEST(HubSettingsTest, ReadsTheEndpoint) {
  EXPECT_EQ(Read({})->endpoint, "https://huggingface.co");
  EXPECT_EQ(Read({{"HF_ENDPOINT", "http://mirror:8080/hf/"}})->endpoint, "http://mirror:8080/hf");
  for (const char* url : {"mirror", "ftp://mirror", "https://mir ror", "http://a\r\nX: y"}) {
    EXPECT_THAT(Read({{"HF_ENDPOINT", url}}).status().message(), HasSubstr("HF_ENDPOINT")) << url;
  }
}

TEST(HubSettingsTest, ReadsTheToken) {
  TempFolder home;
  EXPECT_EQ(Read({{"HF_HOME", home.path()}})->token, "");
  home.Write("token", "of-home\n").Write("elsewhere", " of-file ").Write("bad", "two\nlines");
  EXPECT_EQ(Read({{"HF_HOME", home.path()}})->token, "of-home");
  const std::string elsewhere = home.path() / "elsewhere";
  EXPECT_EQ(Read({{"HF_HOME", home.path()}, {"HF_TOKEN_PATH", elsewhere}})->token, "of-file");
  EXPECT_EQ(Read({{"HF_TOKEN", "given"}, {"HF_TOKEN_PATH", elsewhere}})->token, "given");
  const std::string bad = home.path() / "bad";
  const auto refused = Read({{"HF_TOKEN_PATH", bad}});
  EXPECT_THAT(refused.status().message(), HasSubstr(bad + ": expected a token"));
  EXPECT_THAT(refused.status().message(), testing::Not(HasSubstr("lines")));
}

TEST(HubSettingsTest, ReadsSwitchAndTimeout) {
  EXPECT_FALSE(Read({})->offline);
  for (const char* yes : {"1", "true", "YES", "on"}) {
    EXPECT_TRUE(Read({{"HF_HUB_OFFLINE", yes}})->offline) << yes;
  }
  for (const char* no : {"", "0", "false", "off"}) {
    EXPECT_FALSE(Read({{"HF_HUB_OFFLINE", no}})->offline) << no;
  }
  EXPECT_EQ(Read({{"HF_HUB_DOWNLOAD_TIMEOUT", "30"}})->timeout.count(), 30);
  for (const char* wrong : {"0", "-1", "1.5", "x", "99999999999999"}) {
    EXPECT_FALSE(Read({{"HF_HUB_DOWNLOAD_TIMEOUT", wrong}}).ok()) << wrong;
  }
}

}  // namespace
}  // namespace hub
