#include "bench_target.h"

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <string_view>
#include <thread>
#include <utility>

#include "bench/http_target.h"
#include "bench/inference_target.h"
#include "common/clock.h"
#include "ivy/grpc/grpc_replica.h"
#include "wire/host_port.h"

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kGrpc = "grpc://";
constexpr milliseconds kScrapeTimeout = seconds(10);
constexpr common::Duration kReachTimeout = seconds(30);
constexpr milliseconds kReachPause(10);
/// Requests tell of an engine that has failed.
constexpr auto kTold = [](const absl::Status& /*cause*/) {};

absl::Status CheckOptions(const BenchTargetOptions& options) {
  const bool has_model = !options.serve.models.model.empty();
  if (options.url.empty() != has_model) {
    return absl::InvalidArgumentError("expected --url of a running server or --model, one of them");
  }
  if (!options.engine || has_model) return absl::OkStatus();
  return absl::InvalidArgumentError("--engine: expected --model, whose engine is measured");
}

/// What is asked for by flag has to be there.
absl::StatusOr<bench::CounterSource> Scrape(const std::vector<std::string>& addresses) {
  if (addresses.empty()) return bench::CounterSource();
  std::vector<bench::Url> urls;
  for (const std::string& address : addresses) {
    ASSIGN_OR_RETURN(urls.emplace_back(), bench::ParseUrl(address));
  }
  bench::CounterSource source = bench::ScrapeCounters(std::move(urls), kScrapeTimeout);
  if (const absl::Status read = source().status(); !read.ok()) {
    return absl::Status(read.code(), fmt::format("--metrics-url: {}", std::string(read.message())));
  }
  return source;
}

absl::Status AwaitServing(const ivy::Replica& replica) {
  const common::TimePoint give_up = common::Clock::Steady().Now() + kReachTimeout;
  while (common::Clock::Steady().Now() < give_up) {
    if (replica.serving() && replica.info() != nullptr) return absl::OkStatus();
    std::this_thread::sleep_for(kReachPause);
  }
  return absl::UnavailableError(fmt::format("{}: no Tulip serves there", replica.address()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<BenchTarget>> BenchTarget::Open(const BenchTargetOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  std::unique_ptr<BenchTarget> target(new BenchTarget);
  ASSIGN_OR_RETURN(target->counters_, Scrape(options.metrics_url));
  target->name_ = options.url;
  absl::Status opened;
  if (options.engine) {
    opened = target->StartEngine(options);
  } else if (options.url.empty()) {
    opened = target->StartServer(options);
  } else if (options.url.starts_with(kGrpc)) {
    opened = target->ReachTulip(options.url.substr(kGrpc.size()), options);
  } else {
    opened = target->ReachServer(options.url, options);
  }
  RETURN_IF_ERROR(opened);
  return target;
}

absl::Status BenchTarget::ReachServer(const std::string& url, const BenchTargetOptions& options) {
  ASSIGN_OR_RETURN(bench::Url parsed, bench::ParseUrl(url));
  if (!counters_) counters_ = bench::ScrapeCounters({parsed}, kScrapeTimeout);
  target_ = std::make_unique<bench::HttpTarget>(std::move(parsed), options.model_name);
  takes_text_ = true;
  return absl::OkStatus();
}

/// One channel for all clients, as Ivy has one for all requests.
absl::Status BenchTarget::ReachTulip(const std::string& address,
                                     const BenchTargetOptions& options) {
  if (!wire::ParseHostPort(address)) {
    return absl::InvalidArgumentError(
        fmt::format("--url: expected grpc://HOST:PORT, got \"{}\"", options.url));
  }
  replica_ = ivy::MakeGrpcReplicaFactory({.model = options.model_name})(address);
  RETURN_IF_ERROR(AwaitServing(*replica_));
  target_ = std::make_unique<bench::InferenceTarget>(
      [replica = replica_.get()](wire::InferenceRequest request,
                                 wire::InferenceClient::Callback done) {
        replica->Infer(std::move(request), std::move(done));
      },
      options.model_name);
  return absl::OkStatus();
}

absl::Status BenchTarget::StartServer(const BenchTargetOptions& options) {
  ServeOptions serve = options.serve;
  serve.gateway.server.host = "127.0.0.1";
  serve.gateway.server.port = 0;
  ASSIGN_OR_RETURN(stack_, Stack::Load(serve, kTold));
  RETURN_IF_ERROR(stack_->Listen());
  RETURN_IF_ERROR(ReachServer(fmt::format("http://127.0.0.1:{}", stack_->port()), options));
  name_ = "server in process: " + serve.models.model.front();
  return absl::OkStatus();
}

absl::Status BenchTarget::StartEngine(const BenchTargetOptions& options) {
  const ServeOptions& serve = options.serve;
  ASSIGN_OR_RETURN(models_, OpenModels(serve.models, serve.devices.weights_required()));
  if (models_.size() > 1) return absl::InvalidArgumentError("--engine: expected one --model");
  DeviceOptions devices = serve.devices;
  devices.queue.max_queue_tokens = std::numeric_limits<int64_t>::max();  // The clients bound it.
  ASSIGN_OR_RETURN(workers_, ModelWorkers::Start(models_.front(), devices, kTold, metrics_));
  target_ = std::make_unique<bench::InferenceTarget>(
      [client = &workers_->client()](wire::InferenceRequest request,
                                     wire::InferenceClient::Callback done) {
        client->Infer(std::move(request), std::move(done));
      },
      options.model_name);
  counters_ = [this] { return bench::ReadCounters(metrics_.Text()); };
  name_ = "engine: " + serve.models.model.front();
  return absl::OkStatus();
}
