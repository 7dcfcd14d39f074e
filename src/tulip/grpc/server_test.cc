#include "tulip/grpc/server.h"

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/hex.h"
#include "common/trace/fake_span_sink.h"
#include "proto/grpc/health/v1/health.grpc.pb.h"
#include "proto/tulip/v1/tulip.grpc.pb.h"
#include "tulip/worker_fixture.h"
#include "wire/grpc/request_message.h"
#include "wire/grpc/result_message.h"

namespace tulip {
namespace {

using grpc::StatusCode;
using grpc::health::v1::HealthCheckResponse;
using std::chrono::hours;
using std::chrono::system_clock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What reaches a model's client, told to the test and handed on.
class Spy final : public wire::InferenceClient {
 public:
  explicit Spy(wire::InferenceClient& to, const std::string& name) : to_(to), info_(to.Info()) {
    info_.name = name;
  }

  void Infer(wire::InferenceRequest request, Callback done) override {
    request.model.clear();
    wire::InferenceRequest copy = request;
    to_.Infer(std::move(request), std::move(done));
    // Then alone: who has waited for one may count on its place in the queue.
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(copy));
    came_.notify_all();
  }
  const wire::ModelInfo& Info() const override { return info_; }
  bool Healthy() const override { return to_.Healthy(); }

  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return requests_.size();
  }
  /// Blocks until request `index` has come.
  wire::InferenceRequest Get(std::size_t index) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return requests_.size() > index; });
    return requests_[index];
  }

 private:
  wire::InferenceClient& to_;
  wire::ModelInfo info_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<wire::InferenceRequest> requests_;
};

/// A call under way, its answer when it comes.
struct Asked {
  grpc::ClientContext context;
  v1::InferRequest message;
  v1::InferResponse answer;
  std::promise<grpc::Status> done;

  grpc::Status Wait() { return done.get_future().get(); }
};

void AwaitCancel(const wire::CancelToken& token) {
  std::promise<void> cancelled;
  const wire::CancelCallback callback(token, [&] { cancelled.set_value(); });
  cancelled.get_future().wait();
}

/// A server over the fixture's worker, under the names "m" and, if asked for, "other".
class GrpcServerTest : public WorkerTest {
 protected:
  void StartServer(GrpcServerOptions options = {}, bool other = false) {
    spy_ = std::make_unique<Spy>(*client_, "m");
    std::vector<wire::InferenceClient*> models = {spy_.get()};
    if (other) {
      other_worker_ = std::make_unique<Worker>(
          std::make_unique<FakeEngine>(FakeEngine::Options{}), DescribeFake(),
          WorkerOptions{.device_label = "e", .clock = clock_}, metrics_);
      other_client_ = std::make_unique<InProcessClient>(std::vector<Worker*>{other_worker_.get()});
      other_ = std::make_unique<Spy>(*other_client_, "other");
      models.push_back(other_.get());
    }
    options.port = 0;
    auto server = GrpcServer::Create(options, models);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    const auto channel = grpc::CreateChannel("127.0.0.1:" + std::to_string(server_->port()),
                                             grpc::InsecureChannelCredentials());
    stub_ = v1::Tulip::NewStub(channel);
    health_ = grpc::health::v1::Health::NewStub(channel);
  }

  void TearDown() override {
    if (worker_ != nullptr) engine_->ReleaseAll();
    server_.reset();
    WorkerTest::TearDown();
  }

  void Send(Asked& asked, const wire::InferenceRequest& request) {
    wire::FillRequest(request, wire::ValueType::kFloat32, asked.message);
    stub_->async()->Infer(&asked.context, &asked.message, &asked.answer,
                          [&asked](grpc::Status status) { asked.done.set_value(status); });
  }

  grpc::Status Infer(const wire::InferenceRequest& request) {
    Asked asked;
    Send(asked, request);
    return asked.Wait();
  }

  /// UNKNOWN: there is no such service.
  HealthCheckResponse::ServingStatus HealthOf(const std::string& service) {
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(service);
    HealthCheckResponse response;
    health_->Check(&context, request, &response);
    return response.status();
  }

  std::unique_ptr<Spy> spy_, other_;
  std::unique_ptr<Worker> other_worker_;
  std::unique_ptr<InProcessClient> other_client_;
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<v1::Tulip::Stub> stub_;
  std::unique_ptr<grpc::health::v1::Health::Stub> health_;
};

TEST_F(GrpcServerTest, AnswersWithTheRowsOfTheModel) {
  Start({});
  StartServer();
  Asked asked;
  asked.context.set_deadline(system_clock::now() + hours(1));
  asked.context.AddMetadata("x-request-id", "request-7");
  Send(asked, MakeRequest({3, 1}, 10));
  const grpc::Status status = asked.Wait();
  ASSERT_TRUE(status.ok()) << status.error_message();
  const auto result = wire::ReadResult(asked.answer);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->dense.values, ElementsAre(10, 12, 3, 0, 13, 13, 1, 0));
  EXPECT_EQ(result->timing.batch_tokens, 4);
  const wire::InferenceRequest seen = spy_->Get(0);
  EXPECT_EQ(seen.request_id, "request-7");
  const common::TimePoint now = common::Clock::Steady().Now();
  EXPECT_GT(seen.deadline, now + std::chrono::minutes(30));
  EXPECT_LT(seen.deadline, now + std::chrono::minutes(90));
}

TEST_F(GrpcServerTest, SpansHangBelowTheCallers) {
  common::FakeSpanSink sink;
  const common::Tracer tracer(&sink);
  Start({});
  StartServer({.tracer = &tracer});
  Asked asked;
  asked.context.AddMetadata("traceparent",
                            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  asked.context.AddMetadata("tracestate", "a=1");
  asked.context.AddMetadata("tracestate", "b=2");
  asked.context.AddMetadata("x-request-id", "request-7");
  Send(asked, MakeRequest({1}));
  ASSERT_TRUE(asked.Wait().ok());
  const auto calls = sink.Named("tulip.v1.Tulip/Infer");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].kind, common::SpanKind::kServer);
  EXPECT_EQ(common::Hex(calls[0].context.trace_id), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(common::Hex(calls[0].parent), "b7ad6b7169203331");
  EXPECT_EQ(calls[0].context.state, "a=1,b=2");
  for (const char* stage : {"queue", "compute"}) {
    ASSERT_EQ(sink.Named(stage).size(), 1U);
    EXPECT_EQ(sink.Named(stage)[0].parent, calls[0].context.span_id);
  }
}

TEST_F(GrpcServerTest, CallsAreCounted) {
  Start({});
  StartServer({.metrics = &metrics_});
  EXPECT_TRUE(Infer(MakeRequest({1})).ok());
  wire::InferenceRequest request = MakeRequest({1});
  request.model = "third";
  EXPECT_EQ(Infer(request).error_code(), StatusCode::NOT_FOUND);
  const std::string text = metrics_.Text();
  for (const char* code : {"OK", "NOT_FOUND"}) {
    EXPECT_THAT(text, HasSubstr(std::string("parterre_grpc_calls_total{code=\"") + code +
                                "\",method=\"Infer\"} 1\n"));
  }
  EXPECT_THAT(text, HasSubstr("{code=\"OK\",method=\"Info\"} 0\n"));
}

TEST_F(GrpcServerTest, WithoutADeadlineThereIsNone) {
  Start({});
  StartServer();
  EXPECT_TRUE(Infer(MakeRequest({1})).ok());
  EXPECT_EQ(spy_->Get(0).deadline, common::TimePoint::max());
  EXPECT_EQ(spy_->Get(0).request_id, "");
}

TEST_F(GrpcServerTest, FindsModelsByName) {
  Start({});
  StartServer({}, /*other=*/true);
  wire::InferenceRequest request = MakeRequest({1});
  for (const char* name : {"m", "other"}) {
    request.model = name;
    EXPECT_TRUE(Infer(request).ok());
  }
  request.model = "third";
  grpc::Status status = Infer(request);
  EXPECT_EQ(status.error_code(), StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), HasSubstr("'third' is not served here, only 'm', 'other'"));
  request.model.clear();
  status = Infer(request);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("'m', 'other'"));
}

TEST_F(GrpcServerTest, InfoTellsOfOneModelOrAll) {
  Start({});
  StartServer({}, /*other=*/true);
  const auto ask = [&](const std::string& name) {
    grpc::ClientContext context;
    v1::InfoRequest request;
    request.set_model(name);
    v1::InfoResponse response;
    const grpc::Status status = stub_->Info(&context, request, &response);
    std::vector<std::string> names;
    for (const v1::ModelInfo& model : response.models()) names.push_back(model.name());
    return std::pair(status.error_code(), names);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(ask(""), std::pair(StatusCode::OK, Names{"m", "other"}));
  EXPECT_EQ(ask("other"), std::pair(StatusCode::OK, Names{"other"}));
  EXPECT_EQ(ask("third"), std::pair(StatusCode::NOT_FOUND, Names{}));
}

TEST_F(GrpcServerTest, RefusesWhatIsMalformedByName) {
  Start({});
  StartServer();
  Asked asked;
  wire::FillRequest(MakeRequest({2}), wire::ValueType::kFloat32, asked.message);
  asked.message.set_ids("abc");
  const grpc::Status status = stub_->Infer(&asked.context, asked.message, &asked.answer);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("ids: 3 bytes"));
  // What only the model knows.
  EXPECT_EQ(Infer(MakeRequest({FakeEngine::kMaxLength + 1})).error_code(),
            StatusCode::INVALID_ARGUMENT);
}

TEST_F(GrpcServerTest, AFullQueueIsResourceExhausted) {
  Start({.steps_in_flight_max = 1, .held = true}, {.max_queue_tokens = 64});
  StartServer();
  Asked runs, waits;
  Send(runs, MakeRequest({1}));
  engine_->WaitForSteps(1);
  Send(waits, MakeRequest({64}));
  spy_->Get(1);
  EXPECT_EQ(Infer(MakeRequest({64})).error_code(), StatusCode::RESOURCE_EXHAUSTED);
  engine_->ReleaseAll();
  EXPECT_TRUE(runs.Wait().ok());
  EXPECT_TRUE(waits.Wait().ok());
}

TEST_F(GrpcServerTest, Bug64_WhatIsCancelledIsDroppedBeforeItIsBatched) {
  Start({.steps_in_flight_max = 1, .held = true});
  StartServer();
  Asked runs, leaves, stays;
  Send(runs, MakeRequest({1}, 100));
  engine_->WaitForSteps(1);
  spy_->Get(0);  // Which tells of it after the engine.
  Send(leaves, MakeRequest({1}, 200));
  const auto token = spy_->Get(1).cancel;
  Send(stays, MakeRequest({1}, 300));
  spy_->Get(2);
  leaves.context.TryCancel();
  EXPECT_EQ(leaves.Wait().error_code(), StatusCode::CANCELLED);
  AwaitCancel(*token);
  engine_->ReleaseAll();
  EXPECT_TRUE(runs.Wait().ok());
  EXPECT_TRUE(stays.Wait().ok());
  EXPECT_THAT(engine_->seen()[1].first_ids, ElementsAre(300));
}

TEST_F(GrpcServerTest, APassedDeadlineCancels) {
  Start({.steps_in_flight_max = 1, .held = true});
  StartServer();
  // On a busy machine a deadline may pass before the call has come through.
  for (auto time = std::chrono::milliseconds(50); spy_->count() == 0; time *= 2) {
    Asked late;
    late.context.set_deadline(system_clock::now() + time);
    Send(late, MakeRequest({1}));
    EXPECT_EQ(late.Wait().error_code(), StatusCode::DEADLINE_EXCEEDED);
  }
  AwaitCancel(*spy_->Get(0).cancel);
}

TEST_F(GrpcServerTest, HealthFollowsEachModel) {
  Start({});
  StartServer({}, /*other=*/true);
  for (const char* service : {"", "m", "other"}) {
    EXPECT_EQ(HealthOf(service), HealthCheckResponse::SERVING);
  }
  EXPECT_EQ(HealthOf("third"), HealthCheckResponse::UNKNOWN);
  wire::InferenceRequest request = MakeRequest({1}, FakeEngine::kNanId);
  request.model = "m";
  EXPECT_EQ(Infer(request).error_code(), StatusCode::INTERNAL);
  EXPECT_EQ(HealthOf("m"), HealthCheckResponse::SERVING);
  request = MakeRequest({1}, FakeEngine::kThrowInStepId);
  request.model = "m";
  EXPECT_EQ(Infer(request).error_code(), StatusCode::INTERNAL);
  EXPECT_EQ(HealthOf("m"), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(HealthOf("other"), HealthCheckResponse::SERVING);
  EXPECT_EQ(HealthOf(""), HealthCheckResponse::NOT_SERVING);
}

TEST_F(GrpcServerTest, ADrainIsToldAndServesOn) {
  Start({});
  StartServer();
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckRequest request;
  request.set_service("m");
  HealthCheckResponse response;
  const auto watch = health_->Watch(&context, request);
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  server_->BeginDrain();
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(HealthOf(""), HealthCheckResponse::NOT_SERVING);
  EXPECT_TRUE(Infer(MakeRequest({1})).ok());
  context.TryCancel();
  watch->Finish();
}

TEST_F(GrpcServerTest, Bug65_ShutdownFinishesWhatIsInHand) {
  Start({.steps_in_flight_max = 1, .held = true});
  StartServer();
  Asked runs, waits;
  Send(runs, MakeRequest({1}));
  Send(waits, MakeRequest({2}));
  engine_->WaitForSteps(1);
  spy_->Get(1);
  std::thread shutdown([&] { server_->Shutdown(common::TimePoint::max()); });
  engine_->ReleaseAll();
  EXPECT_TRUE(runs.Wait().ok());
  EXPECT_TRUE(waits.Wait().ok());
  shutdown.join();
  EXPECT_EQ(Infer(MakeRequest({1})).error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(GrpcServerTest, ShutdownDoesNotWaitForWhoWatchesTheHealth) {
  Start({});
  StartServer();
  grpc::ClientContext context;
  HealthCheckResponse response;
  const auto watch = health_->Watch(&context, {});
  ASSERT_TRUE(watch->Read(&response));
  server_->Shutdown(common::TimePoint::max());
  while (watch->Read(&response)) {
  }
  EXPECT_FALSE(watch->Finish().ok());
}

TEST_F(GrpcServerTest, Bug65_ShutdownCancelsWhatIsLate) {
  Start({.steps_in_flight_max = 1, .held = true});
  StartServer();
  Asked runs;
  Send(runs, MakeRequest({1}));
  engine_->WaitForSteps(1);
  const auto token = spy_->Get(0).cancel;
  std::thread shutdown([&] { server_->Shutdown(common::TimePoint::min()); });
  AwaitCancel(*token);
  engine_->ReleaseAll();
  EXPECT_FALSE(runs.Wait().ok());
  shutdown.join();
}

TEST_F(GrpcServerTest, Bug61_MessagesAreLimited) {
  Start({});
  StartServer({.message_bytes_max = 400});
  EXPECT_TRUE(Infer(MakeRequest({1})).ok());
  EXPECT_EQ(Infer(MakeRequest({64, 64})).error_code(), StatusCode::RESOURCE_EXHAUSTED);
  // 40 sequences fit in a request, their 40 rows of 16 bytes not in an answer.
  const grpc::Status status = Infer(MakeRequest(std::vector<int32_t>(40, 1)));
  EXPECT_EQ(status.error_code(), StatusCode::INTERNAL);
  EXPECT_THAT(status.error_message(), HasSubstr("--max-message-mib"));
}

TEST_F(GrpcServerTest, AnAddressIsListenedOnOnce) {
  Start({});
  StartServer();
  const auto second = GrpcServer::Create({.port = server_->port()}, {spy_.get()});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("127.0.0.1:"));
}

TEST_F(GrpcServerTest, AnAddressIsTriedAndLeftFree) {
  Start({});
  StartServer();
  const GrpcServerOptions options = {.port = server_->port()};
  EXPECT_EQ(GrpcServer::Try(options).code(), absl::StatusCode::kUnavailable);
  server_.reset();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(GrpcServer::Try(options).ok());
  EXPECT_TRUE(GrpcServer::Create(options, {spy_.get()}).ok());
}

TEST_F(GrpcServerTest, TlsFilesAreReadOrNamed) {
  Start({});
  Spy spy(*client_, "m");
  const auto refusal = [&](wire::TlsFiles tls) {
    const auto server = GrpcServer::Create({.port = 0, .tls = std::move(tls)}, {&spy});
    return std::string(server.status().message());
  };
  EXPECT_THAT(refusal({.certificate = "/none.pem", .key = "/none.key"}), HasSubstr("/none."));
  EXPECT_THAT(refusal({.certificate = "a.pem"}), HasSubstr("a.pem: a certificate needs its key"));
  EXPECT_THAT(refusal({.key = "a.key"}), HasSubstr("a.key: a key needs its certificate"));
  EXPECT_THAT(refusal({.authority = "ca.pem"}), HasSubstr("ca.pem:"));
  EXPECT_THAT(std::string(GrpcServer::Try({.tls = {.key = "a.key"}}).message()),
              HasSubstr("a.key:"));
}

}  // namespace
}  // namespace tulip
