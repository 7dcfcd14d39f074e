#include "ivy/grpc/grpc_replica.h"

#include <fmt/format.h>
#include <grpcpp/create_channel.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/mutex.h"
#include "ivy/grpc/replica_probe.h"
#include "wire/grpc/call_metadata.h"
#include "wire/grpc/call_span.h"
#include "wire/grpc/channel_tls.h"
#include "wire/grpc/request_message.h"
#include "wire/grpc/result_message.h"
#include "wire/grpc/status.h"

namespace ivy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Result = absl::StatusOr<wire::InferenceResult>;

/// Without a word for so long, a replica is asked whether it is there, and given up if it is not.
constexpr milliseconds kKeepAliveTime = seconds(10);
constexpr milliseconds kKeepAliveTimeout = seconds(5);
/// Between attempts to connect; they grow from the first to the last.
constexpr milliseconds kFirstBackoff(100);
constexpr milliseconds kLastBackoff = seconds(2);

grpc::ChannelArguments MakeArguments(const GrpcReplicaOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(options.message_bytes_max));
  arguments.SetMaxSendMessageSize(static_cast<int>(options.message_bytes_max));
  const auto set = [&](const char* name, int64_t value) {
    arguments.SetInt(name, static_cast<int>(value));
  };
  set(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepAliveTime.count());
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepAliveTimeout.count());
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  set(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // No bound but the time above.
  set(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstBackoff.count());
  set(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLastBackoff.count());
  // Who balances sends again, and counts it; and a list of replicas needs no proxy.
  set(GRPC_ARG_ENABLE_RETRIES, 0);
  set(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (!options.server_name.empty()) arguments.SetSslTargetNameOverride(options.server_name);
  return arguments;
}

std::shared_ptr<grpc::ChannelCredentials> CredentialsNow(const GrpcReplicaOptions& options) {
  static const std::shared_ptr<grpc::ChannelCredentials> plain = grpc::InsecureChannelCredentials();
  return options.tls == nullptr ? plain : options.tls->credentials();
}

/// A channel with the credentials that it was made with, and what is known of its other end.
struct Link {
  Link(const std::string& address, const GrpcReplicaOptions& options,
       std::shared_ptr<grpc::ChannelCredentials> used)
      : credentials(std::move(used)),
        channel(grpc::CreateCustomChannel(address, credentials, MakeArguments(options))),
        tulip(tulip::v1::Tulip::NewStub(channel)),
        probe(channel, address, options.model) {}

  const std::shared_ptr<grpc::ChannelCredentials> credentials;
  const std::shared_ptr<grpc::Channel> channel;  ///< Calls under way hold on to it.
  const std::unique_ptr<tulip::v1::Tulip::Stub> tulip;
  const ReplicaProbe probe;
};

/// One request under way. Shared by its replica, which may have to cancel it, and by gRPC.
struct Call {
  Call(Replica::Callback callback, const wire::InferenceRequest& request)
      : done(std::move(callback)),
        span(request.trace, wire::kInferSpan, common::Clock::Steady().Now(),
             common::SpanKind::kClient) {}

  void Cancel() {
    cancelled = true;
    context.TryCancel();
  }

  Replica::Callback done;
  common::Span span;
  grpc::ClientContext context;
  tulip::v1::InferRequest message;
  tulip::v1::InferResponse answer;
  std::atomic<bool> cancelled{false};  ///< By us.
  std::shared_ptr<const wire::CancelToken> token;
  std::optional<wire::CancelCallback> on_cancel;  ///< Ends before the context.
};

class GrpcReplica final : public Replica {
 public:
  GrpcReplica(std::string address, const GrpcReplicaOptions& options)
      : address_(std::move(address)), options_(options), link_(MakeLink(CredentialsNow(options))) {}

  ~GrpcReplica() override {
    std::set<std::shared_ptr<Call>> calls;
    {
      const common::MutexLock lock(mutex_);
      calls = calls_;
    }
    for (const std::shared_ptr<Call>& call : calls) call->Cancel();
    common::MutexLock lock(mutex_);
    while (!calls_.empty()) idle_.Wait(lock);
  }

  const std::string& address() const override { return address_; }
  std::shared_ptr<const wire::ModelInfo> info() const override { return Current()->probe.info(); }
  bool serving() const override { return Current()->probe.serving(); }

  void Tend() override {
    // Here, where waiting for its probe harms nobody, and not with its last user.
    std::erase_if(former_, [](const auto& link) { return link.use_count() == 1; });
    const std::shared_ptr<const Link> current = Current();
    const auto credentials = CredentialsNow(options_);
    if (credentials != (next_ != nullptr ? next_ : current)->credentials) {
      next_ = credentials == current->credentials ? nullptr : MakeLink(credentials);
    }
    if (next_ == nullptr || (current->probe.serving() && !next_->probe.serving())) return;
    const common::MutexLock lock(mutex_);
    former_.push_back(std::exchange(link_, std::move(next_)));
  }

  void Infer(wire::InferenceRequest request, Callback done) override {
    const std::shared_ptr<const Link> link = Current();
    if (link->probe.info() == nullptr) {
      return done(absl::UnavailableError(fmt::format("replica {}: not connected", address_)));
    }
    const auto call = std::make_shared<Call>(std::move(done), request);
    wire::DescribeInfer(call->span);
    call->span.Set("server.address", address_).Set("parterre.attempt", request.attempt);
    wire::FillRequest(request, wire::ValueType::kFloat32, call->message);
    if (absl::Status status = CheckSize(call->message); !status.ok()) {
      call->span.Fail(status).End(common::Clock::Steady().Now());
      return call->done(std::move(status));
    }
    call->context.set_deadline(wire::ToSystem(request.deadline));
    wire::SendRequestId(request.request_id, call->context);
    wire::SendTrace(call->span.trace().context, call->context);
    {
      const common::MutexLock lock(mutex_);
      calls_.insert(call);
    }
    // A context that is cancelled before its call begins ends the call as it begins.
    if (request.cancel != nullptr) {
      call->token = std::move(request.cancel);
      call->on_cancel.emplace(*call->token, [call = call.get()] { call->Cancel(); });
    }
    link->tulip->async()->Infer(&call->context, &call->message, &call->answer,
                                [this, call](const grpc::Status& status) { Finish(call, status); });
  }

 private:
  std::shared_ptr<const Link> MakeLink(
      std::shared_ptr<grpc::ChannelCredentials> credentials) const {
    return std::make_shared<const Link>(address_, options_, std::move(credentials));
  }
  std::shared_ptr<const Link> Current() const {
    const common::MutexLock lock(mutex_);
    return link_;
  }

  /// gRPC would say RESOURCE_EXHAUSTED, which asks to be tried again.
  absl::Status CheckSize(const tulip::v1::InferRequest& message) const {
    const auto bytes = static_cast<int64_t>(message.ByteSizeLong());
    if (bytes <= options_.message_bytes_max) return absl::OkStatus();
    return absl::InternalError(
        fmt::format("a request of {} bytes, more than the {} of a message (--max-message-mib)",
                    bytes, options_.message_bytes_max));
  }

  void Finish(const std::shared_ptr<Call>& call, const grpc::Status& status)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    call->on_cancel.reset();
    Result result = Read(*call, status);
    wire::DescribeEnd(status.error_code(), call->span);
    call->span.Fail(result.status()).End(common::Clock::Steady().Now());
    // What it holds ends here rather than when gRPC lets go of the call.
    std::exchange(call->done, nullptr)(std::move(result));
    const common::MutexLock lock(mutex_);
    calls_.erase(call);
    if (calls_.empty()) idle_.NotifyAll();  // With the lock held: the destructor ends us.
  }

  Result Read(const Call& call, const grpc::Status& status) const {
    const grpc::StatusCode code = status.error_code();
    // A server that ends cancels what still reaches it; for the one who asks it is gone. UNKNOWN is
    // what gRPC says where the connection breaks in the midst of an answer: no server means it.
    const bool gone = code == grpc::StatusCode::UNAVAILABLE || code == grpc::StatusCode::UNKNOWN ||
                      (code == grpc::StatusCode::CANCELLED && !call.cancelled);
    if (gone) {
      return absl::UnavailableError(
          fmt::format("replica {}: {}", address_, status.error_message()));
    }
    if (!status.ok()) return wire::FromGrpcStatus(status);
    Result result = wire::ReadResult(call.answer);
    if (result.ok()) return result;
    return absl::UnavailableError(fmt::format("replica {}: its answer is malformed: {}", address_,
                                              std::string(result.status().message())));
  }

  const std::string address_;
  const GrpcReplicaOptions options_;

  // Of the thread that tends to it.
  std::shared_ptr<const Link> next_;  ///< Of newer credentials, until it can take over.
  std::vector<std::shared_ptr<const Link>> former_;

  mutable common::Mutex mutex_;
  common::ConditionVariable idle_;
  std::shared_ptr<const Link> link_ ABSL_GUARDED_BY(mutex_);  ///< That requests go over.
  std::set<std::shared_ptr<Call>> calls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

ReplicaFactory MakeGrpcReplicaFactory(const GrpcReplicaOptions& options) {
  return [options](const std::string& address) {
    return std::make_unique<GrpcReplica>(address, options);
  };
}

}  // namespace ivy
