#include "common/otlp/otlp_uploader.h"

#include <gtest/gtest.h>
#include <netdb.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "common/mutex.h"

namespace {

/// Names are resolved by this test: the answer comes when it says so, and is that there is none.
class Resolver {
 public:
  int Ask() {
    common::MutexLock lock(mutex_);
    asked_ = true;
    changed_.NotifyAll();
    while (!answers_) changed_.Wait(lock);
    return EAI_AGAIN;
  }
  void AwaitQuestion() {
    common::MutexLock lock(mutex_);
    while (!asked_) changed_.Wait(lock);
  }
  void Answer() {
    const common::MutexLock lock(mutex_);
    answers_ = true;
    changed_.NotifyAll();
  }

 private:
  common::Mutex mutex_;
  common::ConditionVariable changed_;
  bool asked_ ABSL_GUARDED_BY(mutex_) = false;
  bool answers_ ABSL_GUARDED_BY(mutex_) = false;
};

/// Never destroyed: whoever asks it may outlive the test.
Resolver& TheResolver() {
  static auto& resolver = *new Resolver();
  return resolver;
}

}  // namespace

/// What libcurl calls instead of the system's.
extern "C" int getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**) {
  return TheResolver().Ask();
}

namespace common {
namespace {

TEST(OtlpUploader, AResolverThatDoesNotAnswerHoldsUpNobody) {
  auto uploader = MakeOtlpUploader({.endpoint = "http://collector.example:4318",
                                    .user_agent = "test",
                                    .timeout = std::chrono::hours(1)});
  ASSERT_TRUE(uploader.ok());
  UploadAnswer answer;
  std::thread exporter([&] { answer = (*uploader)->Upload("{}"); });
  TheResolver().AwaitQuestion();
  (*uploader)->Hurry(TimePoint::min());
  exporter.join();
  EXPECT_EQ(answer.kind, UploadAnswer::Kind::kLater);
  EXPECT_NE(answer.fault, "");
  *uploader = nullptr;
  TheResolver().Answer();
}

}  // namespace
}  // namespace common
