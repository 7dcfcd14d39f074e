#include "bench/overhead/request_paths.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace bench {
namespace {

/// What the asking thread waits for. A semaphore of the library's would spin at first.
class Answered {
 public:
  void Tell() {
    const std::lock_guard lock(mutex_);
    told_ = true;
    changed_.notify_one();
  }
  void Await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return told_; });
    told_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool told_ = false;
};

class WakeUpPath final : public RequestPath {
 public:
  explicit WakeUpPath(Recorder& recorder)
      : RequestPath("a thread woken", Mark::kStepped, Mark::kAwaited),
        recorder_(recorder),
        sleeper_([this] { Sleep(); }) {}
  ~WakeUpPath() override {
    Wake(/*last=*/true);
    sleeper_.join();
  }

  absl::Status Ask() override {
    recorder_.Stamp(Mark::kStepped);
    Wake(/*last=*/false);
    awake_.Await();
    return absl::OkStatus();
  }

 private:
  void Wake(bool last) {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
      over_ = last;
    }
    changed_.notify_one();
  }

  void Sleep() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return woken_; });
      if (over_) return;
      recorder_.Stamp(Mark::kAwaited);
      woken_ = false;
      awake_.Tell();
    }
  }

  Recorder& recorder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  bool over_ = false;
  Answered awake_;
  std::thread sleeper_;
};

class ClientPath final : public RequestPath {
 public:
  ClientPath(std::string name, wire::InferenceClient& client, Mark last, int tokens)
      : RequestPath(std::move(name), Mark::kAsked, last), client_(client) {
    request_.model = client.Info().name;
    request_.lengths = {tokens};
    for (int i = 0; i < tokens; ++i) request_.ids.push_back(1000 + i);
  }

  absl::Status Ask() override {
    client_.Infer(request_, [this](const absl::StatusOr<wire::InferenceResult>& result) {
      status_ = result.status();
      answered_.Tell();
    });
    answered_.Await();
    return status_;
  }

 private:
  wire::InferenceClient& client_;
  wire::InferenceRequest request_;
  absl::Status status_;
  Answered answered_;
};

}  // namespace

std::unique_ptr<RequestPath> MakeWakeUpPath(Recorder& recorder) {
  return std::make_unique<WakeUpPath>(recorder);
}

std::unique_ptr<RequestPath> MakeClientPath(std::string name, wire::InferenceClient& client,
                                            Mark last, int tokens) {
  return std::make_unique<ClientPath>(std::move(name), client, last, tokens);
}

}  // namespace bench
