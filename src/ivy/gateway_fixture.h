#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ivy/gateway.h"
#include "ivy/job/fake_model.h"
#include "ivy/test_client.h"

namespace ivy {

/// A gateway on a free port in front of a fake model. Tests change `options` and then Start.
class GatewayTest : public ::testing::Test {
 protected:
  GatewayTest() {
    options.server.port = 0;
    options.server.io_threads = 2;
    options.api.limits.items_max = 64;
    options.api.runner.inputs_in_flight_max = 128;
  }

  void Start(std::vector<ServedModel> models) {
    auto created = Gateway::Create(options, std::move(models), metrics);
    ASSERT_TRUE(created.ok()) << created.status();
    gateway = *std::move(created);
  }
  void Start() { Start({model.Served()}); }

  Reply Ask(const std::string& request) {
    TestClient client(gateway->port());
    EXPECT_TRUE(client.Send(request));
    return client.Read();
  }

  /// The answer to a POST that must succeed.
  nlohmann::json Call(const std::string& path, const nlohmann::json& body) {
    const Reply reply = Ask(Post(path, body.dump()));
    EXPECT_EQ(reply.status, 200) << reply.body;
    return nlohmann::json::parse(reply.body);
  }
  /// The message of an error in either shape.
  static std::string MessageOf(const Reply& reply) {
    const nlohmann::json error = nlohmann::json::parse(reply.body).at("error");
    return error.is_string() ? error : error.at("message");
  }
  /// The message of a POST that must fail.
  std::string Refusal(const std::string& path, const nlohmann::json& body, int status) {
    const Reply reply = Ask(Post(path, body.dump()));
    EXPECT_EQ(reply.status, status) << body.dump() << reply.body;
    return MessageOf(reply);
  }

  common::Metrics metrics;
  FakeModel model;
  GatewayOptions options;
  std::unique_ptr<Gateway> gateway;
};

}  // namespace ivy
