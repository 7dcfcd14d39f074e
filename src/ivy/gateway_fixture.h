#pragma once

#include <gtest/gtest.h>

#include <memory>
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
    options.port = 0;
    options.io_threads = 2;
    options.max_client_batch_size = 64;
    options.max_concurrent_requests = 128;
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

  common::Metrics metrics;
  FakeModel model;
  GatewayOptions options;
  std::unique_ptr<Gateway> gateway;
};

}  // namespace ivy
