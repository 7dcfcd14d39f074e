#include "ivy/grpc/replica_probe.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "common/log.h"
#include "wire/grpc/info_message.h"
#include "wire/grpc/status.h"

namespace ivy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::system_clock;

constexpr seconds kInfoTimeout(10);
constexpr milliseconds kPause(200);

}  // namespace

/// The stream of what health says. Ends once, with OnDone; not looked at after that.
class ReplicaProbe::Watch final
    : public grpc::ClientReadReactor<grpc::health::v1::HealthCheckResponse> {
 public:
  Watch(ReplicaProbe& probe, std::shared_ptr<grpc::ClientContext> context)
      : probe_(probe), context_(std::move(context)) {}

  void Start() {
    request_.set_service(probe_.model_);
    probe_.health_->async()->Watch(context_.get(), &request_, this);
    StartRead(&response_);
    StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;  // OnDone follows.
    probe_.HearHealth(response_.status() == grpc::health::v1::HealthCheckResponse::SERVING);
    StartRead(&response_);
  }

  void OnDone(const grpc::Status& status) override {
    absl::Status cause = wire::FromGrpcStatus(status);
    probe_.Lose(cause.ok() ? absl::UnavailableError("it ended the watch of its health") : cause);
  }

 private:
  ReplicaProbe& probe_;
  const std::shared_ptr<grpc::ClientContext> context_;
  grpc::health::v1::HealthCheckRequest request_;
  grpc::health::v1::HealthCheckResponse response_;
};

ReplicaProbe::ReplicaProbe(const std::shared_ptr<grpc::Channel>& channel, std::string address,
                           std::string model)
    : address_(std::move(address)),
      model_(std::move(model)),
      tulip_(tulip::v1::Tulip::NewStub(channel)),
      health_(grpc::health::v1::Health::NewStub(channel)) {
  request_.set_model(model_);
  AskInfo();
}

ReplicaProbe::~ReplicaProbe() {
  std::shared_ptr<grpc::ClientContext> context;
  std::shared_ptr<grpc::Alarm> alarm;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    context = context_;
    alarm = alarm_;
  }
  if (context != nullptr) context->TryCancel();
  if (alarm != nullptr) alarm->Cancel();
  std::unique_lock lock(mutex_);
  ended_changed_.wait(lock, [this] { return ended_; });
}

std::shared_ptr<const wire::ModelInfo> ReplicaProbe::info() const {
  const std::lock_guard lock(mutex_);
  return info_;
}

bool ReplicaProbe::Begin() {
  const std::lock_guard lock(mutex_);
  if (stopping_) {
    ended_ = true;
    ended_changed_.notify_all();  // With the lock held: the waiting destructor ends us.
    return false;
  }
  context_ = std::make_shared<grpc::ClientContext>();
  alarm_ = std::make_shared<grpc::Alarm>();
  return true;
}

void ReplicaProbe::AskInfo() {
  if (!Begin()) return;
  context_->set_deadline(system_clock::now() + kInfoTimeout);
  answer_.Clear();
  tulip_->async()->Info(context_.get(), &request_, &answer_,
                        [this](const grpc::Status& status) { HearInfo(status); });
}

void ReplicaProbe::HearInfo(const grpc::Status& status) {
  if (!status.ok()) return Lose(wire::FromGrpcStatus(status));
  absl::StatusOr<wire::ModelInfo> info = ReadAnswer();
  if (!info.ok()) return Lose(info.status());
  spdlog::info("replica {}: reached, serves {} on {}", address_, info->name, info->device);
  told_.clear();
  {
    const std::lock_guard lock(mutex_);
    info_ = std::make_shared<const wire::ModelInfo>(*std::move(info));
  }
  WatchHealth();
}

absl::StatusOr<wire::ModelInfo> ReplicaProbe::ReadAnswer() const {
  if (answer_.models_size() != 1) {
    return absl::FailedPreconditionError(
        fmt::format("it serves {} models: its flag or ours must name one", answer_.models_size()));
  }
  absl::StatusOr<wire::ModelInfo> info = wire::ReadInfo(answer_.models(0));
  if (info.ok()) return info;
  return absl::UnavailableError(
      fmt::format("its Info is malformed: {}", std::string(info.status().message())));
}

void ReplicaProbe::WatchHealth() {
  if (!Begin()) return;
  watch_ = std::make_unique<Watch>(*this, context_);
  watch_->Start();
}

void ReplicaProbe::Lose(const absl::Status& cause) {
  serving_ = false;
  {
    const std::lock_guard lock(mutex_);
    info_ = nullptr;
  }
  std::string message = cause.ToString();
  if (!Begin()) return;
  if (message != told_) {
    spdlog::warn("replica {}: out of reach: {}", address_, message);
    told_ = std::move(message);
  }
  alarm_->Set(system_clock::now() + kPause, [this](bool) { AskInfo(); });
}

}  // namespace ivy
