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

/// For the log. Who answers that the model is not here, and what is instead, has been reached.
std::string Describe(const absl::Status& cause) {
  const bool other_models = absl::IsNotFound(cause) || absl::IsFailedPrecondition(cause);
  if (other_models) return "is not used: " + std::string(cause.message());
  return "is out of reach: " + cause.ToString();
}

}  // namespace

/// The stream of what health says. Ends once, with OnDone; not looked at after that.
class ReplicaProbe::Watch final
    : public grpc::ClientReadReactor<grpc::health::v1::HealthCheckResponse> {
 public:
  Watch(ReplicaProbe& probe, std::shared_ptr<Step> step) : probe_(probe), step_(std::move(step)) {}

  void Start() {
    request_.set_service(probe_.model_);
    probe_.health_->async()->Watch(&step_->context, &request_, this);
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
  const std::shared_ptr<Step> step_;
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
  std::shared_ptr<Step> step;
  {
    const common::MutexLock lock(mutex_);
    stopping_ = true;
    step = step_;
  }
  if (step != nullptr) {
    step->context.TryCancel();
    step->alarm.Cancel();
  }
  common::MutexLock lock(mutex_);
  while (!ended_) ended_changed_.Wait(lock);
}

std::shared_ptr<const wire::ModelInfo> ReplicaProbe::info() const {
  const common::MutexLock lock(mutex_);
  return info_;
}

std::shared_ptr<ReplicaProbe::Step> ReplicaProbe::Begin() {
  const common::MutexLock lock(mutex_);
  if (stopping_) {
    ended_ = true;
    ended_changed_.NotifyAll();  // With the lock held: the waiting destructor ends us.
    return nullptr;
  }
  step_ = std::make_shared<Step>();
  return step_;
}

void ReplicaProbe::AskInfo() {
  const std::shared_ptr<Step> step = Begin();
  if (step == nullptr) return;
  step->context.set_deadline(system_clock::now() + kInfoTimeout);
  answer_.Clear();
  tulip_->async()->Info(&step->context, &request_, &answer_,
                        [this](const grpc::Status& status) { HearInfo(status); });
}

void ReplicaProbe::HearInfo(const grpc::Status& status) {
  if (!status.ok()) return Lose(wire::FromGrpcStatus(status));
  absl::StatusOr<wire::ModelInfo> info = ReadAnswer();
  if (!info.ok()) return Lose(info.status());
  spdlog::info("replica {}: reached, serves {} on {}", address_, info->name, info->device);
  told_.clear();
  {
    const common::MutexLock lock(mutex_);
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
  std::shared_ptr<Step> step = Begin();
  if (step == nullptr) return;
  watch_ = std::make_unique<Watch>(*this, std::move(step));
  watch_->Start();
}

void ReplicaProbe::Lose(const absl::Status& cause) {
  serving_ = false;
  {
    const common::MutexLock lock(mutex_);
    info_ = nullptr;
  }
  std::string message = Describe(cause);
  const std::shared_ptr<Step> step = Begin();
  if (step == nullptr) return;
  if (message != told_) {
    spdlog::warn("replica {} {}", address_, message);
    told_ = std::move(message);
  }
  step->alarm.Set(system_clock::now() + kPause, [this](bool) { AskInfo(); });
}

}  // namespace ivy
