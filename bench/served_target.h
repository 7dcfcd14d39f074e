#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "bench/http_target.h"
#include "bench/null_server.h"

namespace bench {

/// For tests: a server that answers as a handler says, and the way to it.
struct ServedTarget {
  explicit ServedTarget(NullServer::Handler handler, std::string model = {},
                        std::chrono::milliseconds timeout = std::chrono::minutes(5)) {
    auto created = NullServer::Create(std::move(handler));
    EXPECT_TRUE(created.ok()) << created.status();
    server = *std::move(created);
    target = std::make_unique<HttpTarget>(url(), std::move(model), timeout);
  }
  explicit ServedTarget(std::string answer)
      : ServedTarget([answer = std::move(answer)](std::string_view) { return answer; }) {}

  Url url() const { return {.host = "127.0.0.1", .port = server->port()}; }

  std::unique_ptr<NullServer> server;
  std::unique_ptr<HttpTarget> target;
};

}  // namespace bench
