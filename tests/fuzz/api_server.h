#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/check.h"
#include "common/metrics.h"
#include "ivy/api/api.h"
#include "ivy/http/service.h"
#include "ivy/job/fake_model.h"

/// Every route in front of fake models, asked without a connection: the calling thread is that of
/// the exchange's connection.
class ApiServer {
 public:
  static constexpr int kItemsMax = 8;

  ApiServer(std::vector<ivy::ServedModel> models, bool any_model_name) {
    ivy::ApiOptions options;
    options.any_model_name = any_model_name;
    options.limits.items_max = kItemsMax;
    options.runner.text_threads = 1;
    options.runner.inputs_in_flight_max = 2 * kItemsMax;
    auto api = ivy::Api::Create(options, std::move(models), metrics_);
    CHECK(api.ok()) << api.status();
    api_ = *std::move(api);
    auto router = std::make_unique<ivy::Router>(metrics_);
    api_->AddRoutes(*router);
    service_ = std::make_shared<ivy::Service>(ivy::ServiceOptions(), std::move(router));
  }
  ~ApiServer() { api_->Stop(); }
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  /// The one answer; CHECKs that there is no second, and that it comes before the deadline.
  ivy::Response Ask(ivy::Request request) {
    const auto mailbox = std::make_shared<Mailbox>();
    const auto exchange = std::make_shared<ivy::Exchange>(service_, mailbox);
    exchange->request = std::move(request);
    exchange->request.body.reserve(exchange->request.body.size() + ivy::kBodyPadding);
    exchange->started = common::Clock::Steady().Now();
    exchange->deadline = exchange->started + std::chrono::minutes(1);
    service_->Open(*exchange);
    if (service_->Admit(*exchange)) service_->Serve(exchange);
    return mailbox->Await();
  }

  ivy::Dialect DialectOf(const std::string& path) const {
    ivy::Exchange exchange(service_, {});
    exchange.request.path = path;
    service_->Open(exchange);
    return exchange.route->dialect;
  }

 private:
  class Mailbox final : public ivy::Transport {
   public:
    void Post(std::function<void()> work) override {
      const std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
      changed_.notify_one();
    }
    void Deliver(ivy::Response response) override {
      const std::lock_guard lock(mutex_);
      CHECK(!response_) << "a second answer";
      response_ = std::move(response);
      changed_.notify_one();
    }

    /// Does what is posted until the answer is there.
    ivy::Response Await() {
      std::unique_lock lock(mutex_);
      while (!response_) {
        changed_.wait(lock, [this] { return response_ || !work_.empty(); });
        while (!work_.empty()) {
          const std::function<void()> work = std::move(work_.front());
          work_.pop_front();
          lock.unlock();
          work();
          lock.lock();
        }
      }
      return *response_;
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> work_;
    std::optional<ivy::Response> response_;
  };

  common::Metrics metrics_;
  std::shared_ptr<ivy::Api> api_;
  std::shared_ptr<ivy::Service> service_;
};
