#include "ivy/grpc/grpc_replica.h"

#include <gmock/gmock.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "common/trace/fake_span_sink.h"
#include "common/trace/tracer.h"
#include "proto/tulip/v1/tulip.grpc.pb.h"
#include "wire/grpc/info_message.h"
#include "wire/grpc/request_message.h"
#include "wire/grpc/result_message.h"

namespace ivy {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;
using Result = absl::StatusOr<wire::InferenceResult>;

wire::ModelInfo DescribeModel(const std::string& device) {
  wire::ModelInfo info;
  info.name = "m";
  info.device = device;
  info.outputs = hub::Output::kDense;
  info.dimension = 1;
  info.max_length = 16;
  info.vocabulary_size = 1000;
  info.max_batch_tokens = 64;
  info.saturation_tokens = 32;
  return info;
}

/// A Tulip whose vector of a sequence is its length, and which can be spoilt.
class FakeTulip final : public tulip::v1::Tulip::Service {
 public:
  explicit FakeTulip(int port = 0, const std::string& device = "cpu")
      : info_(DescribeModel(device)) {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort("127.0.0.1:" + std::to_string(port), grpc::InsecureServerCredentials(),
                             &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    SetServing(true);
  }
  ~FakeTulip() override { server_->Shutdown(std::chrono::system_clock::now()); }

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  void SetServing(bool serving) {
    server_->GetHealthCheckService()->SetServingStatus("m", serving);
  }

  std::atomic<bool> holds{false};    ///< Infer waits until this is over, or it is cancelled.
  std::atomic<bool> garbles{false};  ///< Infer's answer is none.
  std::atomic<grpc::StatusCode> code{grpc::OK};  ///< What else Infer answers with.
  std::atomic<bool> boasts{false};               ///< Info says what cannot be.
  std::atomic<int> held{0};                      ///< Calls that wait.
  std::atomic<int> cancelled{0};                 ///< Calls that were cancelled while they waited.

  /// What the latest Infer came with; "" if it had none. To be asked once it is answered.
  const std::string& traceparent() const { return traceparent_; }

  grpc::Status Info(grpc::ServerContext*, const tulip::v1::InfoRequest* request,
                    tulip::v1::InfoResponse* response) override {
    if (request->model() != "m") return {grpc::StatusCode::NOT_FOUND, "no such model"};
    wire::FillInfo(info_, *response->add_models());
    if (boasts) response->mutable_models(0)->set_dimension(-1);
    return grpc::Status::OK;
  }

  grpc::Status Infer(grpc::ServerContext* context, const tulip::v1::InferRequest* request,
                     tulip::v1::InferResponse* response) override {
    ++held;
    while (holds && !context->IsCancelled()) std::this_thread::sleep_for(milliseconds(1));
    --held;
    if (context->IsCancelled()) ++cancelled;
    if (code != grpc::OK) return {code, "for no reason of its own"};
    const auto received = wire::ReadRequest(*request);
    if (!received.ok()) return {grpc::StatusCode::INVALID_ARGUMENT, "malformed"};
    const auto parent = context->client_metadata().find("traceparent");
    traceparent_ = parent == context->client_metadata().end()
                       ? std::string()
                       : std::string(parent->second.data(), parent->second.size());
    const auto id = context->client_metadata().find("x-request-id");
    if (id != context->client_metadata().end() && id->second == "poison") {
      return {grpc::StatusCode::INTERNAL, "sequence 3: the model gave NaN"};
    }
    wire::InferenceResult result;
    result.sequences = static_cast<int32_t>(received->request.lengths.size());
    result.dense.columns = 1;
    for (const int32_t length : received->request.lengths) {
      result.dense.values.push_back(static_cast<float>(length));
    }
    result.load_tokens = 77;
    wire::FillResult(result, received->value_type, *response);
    if (garbles) response->mutable_dense()->set_values("abc");
    return grpc::Status::OK;
  }

 private:
  const wire::ModelInfo info_;
  std::string traceparent_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

void Await(const std::function<bool()>& condition) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
    std::this_thread::sleep_for(milliseconds(1));
  }
}

std::unique_ptr<Replica> Reach(const std::string& address, GrpcReplicaOptions options = {}) {
  options.model = "m";
  return MakeGrpcReplicaFactory(options)(address);
}

void AwaitServing(const Replica& replica) {
  Await([&] { return replica.serving() && replica.info() != nullptr; });
}

wire::InferenceRequest MakeRequest(std::vector<int32_t> lengths) {
  wire::InferenceRequest request;
  for (const int32_t length : lengths) request.ids.resize(request.ids.size() + length, 5);
  request.lengths = std::move(lengths);
  return request;
}

std::future<Result> Send(Replica& replica, wire::InferenceRequest request) {
  const auto promise = std::make_shared<std::promise<Result>>();
  replica.Infer(std::move(request),
                [promise](Result result) { promise->set_value(std::move(result)); });
  return promise->get_future();
}

TEST(GrpcReplicaTest, AnswersOnceItIsReached) {
  const FakeTulip tulip;
  const auto replica = Reach(tulip.address());
  EXPECT_EQ(replica->address(), tulip.address());
  AwaitServing(*replica);
  EXPECT_EQ(replica->info()->device, "cpu");
  const Result result = Send(*replica, MakeRequest({3, 1})).get();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->dense.values, (std::vector<float>{3, 1}));
  EXPECT_EQ(result->load_tokens, 77);
}

TEST(GrpcReplicaTest, IsUnavailableAtOnceWhileItCannotBeReached) {
  auto tulip = std::make_unique<FakeTulip>();
  const std::string address = tulip->address();
  tulip.reset();
  const auto replica = Reach(address);
  const Result result = Send(*replica, MakeRequest({1})).get();
  EXPECT_EQ(result.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr(address));
  EXPECT_FALSE(replica->serving());
  EXPECT_EQ(replica->info(), nullptr);
}

TEST(GrpcReplicaTest, HearsOfADrainAndServesOn) {
  FakeTulip tulip;
  const auto replica = Reach(tulip.address());
  AwaitServing(*replica);
  tulip.SetServing(false);
  Await([&] { return !replica->serving(); });
  EXPECT_NE(replica->info(), nullptr);
  EXPECT_TRUE(Send(*replica, MakeRequest({1})).get().ok());
  tulip.SetServing(true);
  AwaitServing(*replica);
}

TEST(GrpcReplicaTest, AsksAnewWhoItIsAfterAReconnect) {
  auto tulip = std::make_unique<FakeTulip>();
  const int port = tulip->port();
  const auto replica = Reach(tulip->address());
  AwaitServing(*replica);
  tulip.reset();
  Await([&] { return !replica->serving() && replica->info() == nullptr; });
  tulip = std::make_unique<FakeTulip>(port, "cuda:0");
  AwaitServing(*replica);
  EXPECT_EQ(replica->info()->device, "cuda:0");
  EXPECT_TRUE(Send(*replica, MakeRequest({1})).get().ok());
}

TEST(GrpcReplicaTest, WhatIsUnderWayWhenItDiesIsUnavailable) {
  auto tulip = std::make_unique<FakeTulip>();
  tulip->holds = true;
  const auto replica = Reach(tulip->address());
  AwaitServing(*replica);
  auto answer = Send(*replica, MakeRequest({1}));
  Await([&] { return tulip->held == 1; });
  tulip.reset();
  EXPECT_EQ(answer.get().status().code(), absl::StatusCode::kUnavailable);
}

TEST(GrpcReplicaTest, Bug64_ACancelledTokenCancelsTheCallThere) {
  FakeTulip tulip;
  tulip.holds = true;
  const auto replica = Reach(tulip.address());
  AwaitServing(*replica);
  const auto token = std::make_shared<wire::CancelToken>();
  wire::InferenceRequest request = MakeRequest({1});
  request.cancel = token;
  auto answer = Send(*replica, request);
  Await([&] { return tulip.held == 1; });
  token->Cancel();
  EXPECT_EQ(answer.get().status().code(), absl::StatusCode::kCancelled);
  Await([&] { return tulip.cancelled == 1; });
  // One that was cancelled before it is sent.
  EXPECT_EQ(Send(*replica, request).get().status().code(), absl::StatusCode::kCancelled);
}

TEST(GrpcReplicaTest, ADeadlineEndsTheCall) {
  FakeTulip tulip;
  tulip.holds = true;
  const auto replica = Reach(tulip.address());
  AwaitServing(*replica);
  wire::InferenceRequest request = MakeRequest({1});
  request.deadline = common::Clock::Steady().Now() + milliseconds(20);
  EXPECT_EQ(Send(*replica, request).get().status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(GrpcReplicaTest, AnAnswerThatIsNoneIsUnavailable) {
  FakeTulip tulip;
  tulip.garbles = true;
  const auto replica = Reach(tulip.address());
  AwaitServing(*replica);
  const Result result = Send(*replica, MakeRequest({1})).get();
  EXPECT_EQ(result.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("dense.values: 3 bytes"));
}

/// A server that ends cancels what it has; a connection that breaks in the midst of an answer is
/// UNKNOWN, which gRPC says for it.
TEST(GrpcReplicaTest, WhatOnlyTheServerBreaksOffIsUnavailable) {
  FakeTulip tulip;
  const auto replica = Reach(tulip.address());
  AwaitServing(*replica);
  for (const grpc::StatusCode code : {grpc::CANCELLED, grpc::UNKNOWN}) {
    tulip.code = code;
    wire::InferenceRequest request = MakeRequest({1});
    request.cancel = std::make_shared<wire::CancelToken>();
    EXPECT_EQ(Send(*replica, request).get().status().code(), absl::StatusCode::kUnavailable);
  }
}

TEST(GrpcReplicaTest, ErrorsOfTheModelComeAsTheyAre) {
  const FakeTulip tulip;
  const auto replica = Reach(tulip.address());
  AwaitServing(*replica);
  wire::InferenceRequest request = MakeRequest({1});
  request.request_id = "poison";
  EXPECT_EQ(Send(*replica, request).get().status(),
            absl::InternalError("sequence 3: the model gave NaN"));
  request.request_id = "no header\r\ncan hold this";
  EXPECT_TRUE(Send(*replica, request).get().ok());
}

TEST(GrpcReplicaTest, AnInfoThatCannotBeIsNone) {
  FakeTulip tulip;
  tulip.boasts = true;
  const auto replica = Reach(tulip.address());
  const Result result = Send(*replica, MakeRequest({1})).get();
  EXPECT_EQ(result.status().code(), absl::StatusCode::kUnavailable);
  tulip.boasts = false;
  AwaitServing(*replica);
}

TEST(GrpcReplicaTest, Bug61_ARequestOverTheLimitIsNotSent) {
  const FakeTulip tulip;
  const auto replica = Reach(tulip.address(), {.message_bytes_max = 300});
  AwaitServing(*replica);
  EXPECT_TRUE(Send(*replica, MakeRequest({16})).get().ok());
  const Result result = Send(*replica, MakeRequest({100})).get();
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("--max-message-mib"));
}

TEST(GrpcReplicaTest, ItsEndTellsWhatIsUnderWay) {
  FakeTulip tulip;
  tulip.holds = true;
  auto replica = Reach(tulip.address());
  AwaitServing(*replica);
  std::atomic<int> told = 0;
  for (int i = 0; i < 10; ++i) {
    replica->Infer(MakeRequest({1}), [&](const Result& result) {
      EXPECT_EQ(result.status().code(), absl::StatusCode::kCancelled);
      ++told;
    });
  }
  replica.reset();
  EXPECT_EQ(told, 10);
}

TEST(GrpcReplicaTest, EachCallIsASpanThatTulipHangsBelow) {
  FakeTulip tulip;
  const std::unique_ptr<Replica> replica = Reach(tulip.address());
  AwaitServing(*replica);
  ASSERT_TRUE(Send(*replica, MakeRequest({1})).get().ok());
  EXPECT_EQ(tulip.traceparent(), "");
  common::FakeSpanSink sink;
  const common::Tracer tracer(&sink);
  wire::InferenceRequest request = MakeRequest({1});
  request.trace = tracer.Enter({}, common::SpanKind::kServer, {}).trace();
  request.attempt = 2;
  const common::TraceContext parent = request.trace.context;
  ASSERT_TRUE(Send(*replica, request).get().ok());
  request.request_id = "poison";
  ASSERT_FALSE(Send(*replica, request).get().ok());
  const std::vector<common::SpanRecord> spans = sink.Named("tulip.v1.Tulip/Infer");
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(tulip.traceparent(), TraceParent(spans[1].context));
  for (const common::SpanRecord& span : spans) {
    EXPECT_EQ(span.kind, common::SpanKind::kClient);
    EXPECT_EQ(span.parent, parent.span_id);
    EXPECT_EQ(span.context.trace_id, parent.trace_id);
    EXPECT_THAT(span.attributes,
                Contains(Pair("server.address", common::SpanRecord::Value(tulip.address()))));
    EXPECT_THAT(span.attributes, Contains(Pair("parterre.attempt", common::SpanRecord::Value(2))));
  }
  EXPECT_FALSE(spans[0].failed);
  EXPECT_TRUE(spans[1].failed);
  EXPECT_EQ(spans[1].message, "sequence 3: the model gave NaN");
}

}  // namespace
}  // namespace ivy
