// What a request costs on its way to the engine and back, without a forward pass: in process, over
// gRPC, and from an HTTP client through all of it. All ways take turns in one run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/null_server.h"
#include "bench/overhead/http_path.h"
#include "bench/overhead/null_tulip.h"
#include "bench/overhead/null_worker.h"
#include "bench/overhead/overhead_report.h"
#include "bench/overhead/recorded_client.h"
#include "bench/overhead/request_paths.h"
#include "common/log.h"
#include "ivy/grpc/grpc_replica.h"
#include "ivy/replica/replica_keeper.h"

namespace bench {
namespace {

struct Options {
  std::string model = "tests/data/models/xlm-roberta";
  int tokens = NullEngine::kMaxLength;
  int requests = 2000;
  int pause_us = 0;
  int spin_us = 0;
};

constexpr int kTurns = 10;
constexpr int kWarmUp = 20;  ///< Requests of each turn that are not counted.

using Paths = std::vector<std::unique_ptr<RequestPath>>;

absl::StatusOr<std::unique_ptr<ivy::ReplicaKeeper>> Reach(NullTulip& tulip, const char* model,
                                                          common::Metrics& metrics) {
  ivy::ReplicaKeeperOptions options;
  options.set.model = model;
  auto keeper = std::make_unique<ivy::ReplicaKeeper>(
      std::move(options), ivy::MakeFixedResolver({tulip.address()}),
      ivy::MakeGrpcReplicaFactory({.model = model}), metrics);
  const common::TimePoint give_up = common::Clock::Steady().Now() + std::chrono::seconds(30);
  while (!keeper->set().Healthy()) {
    if (common::Clock::Steady().Now() > give_up) {
      return absl::UnavailableError(fmt::format("no Tulip at {}", tulip.address()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return keeper;
}

absl::Status Measure(const Paths& paths, const Options& options, Recorder& recorder,
                     std::vector<PathTimes>& times) {
  const std::chrono::microseconds pause(options.pause_us);
  for (const auto& path : paths) {
    times.push_back({.name = path->name(), .first = path->first(), .last = path->last()});
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      for (int n = -kWarmUp; n < options.requests / kTurns; ++n) {
        if (pause.count() > 0) std::this_thread::sleep_for(pause);
        RETURN_IF_ERROR(paths[i]->Ask());
        const Passage passage = recorder.Take();
        if (n >= 0) times[i].passages.push_back(passage);
      }
    }
  }
  return absl::OkStatus();
}

void Print(const std::vector<PathTimes>& times, const Options& options) {
  fmt::print("One request of {} tokens at a time, {} each way, {}; {}; {} processors.\n\n",
             options.tokens, options.requests,
             options.pause_us > 0 ? fmt::format("{} µs apart", options.pause_us)
                                  : "the next as soon as the last is answered",
             options.spin_us > 0 ? fmt::format("threads spin for {} µs", options.spin_us)
                                 : "threads that wait sleep",
             std::thread::hardware_concurrency());
  fmt::print("{}\n{}\n", TotalsTable(times), StagesTable(times));
  const auto p50 = [&](std::string_view name) {
    for (const PathTimes& path : times) {
      if (path.name == name) return TimesBetween(path.passages, path.first, path.last).p50;
    }
    return 0.0;
  };
  fmt::print(
      "Tulip's own share: {:.1f} µs (at most 60). gRPC over loopback adds {:.1f} µs (at "
      "most 250), measured at the client, {:.1f} µs from HTTP client to HTTP client.\n",
      p50("worker"), p50("gRPC") - p50("worker"), p50("ivy, ids") - p50("serve, ids"));
}

absl::Status Run(const Options& options) {
  RETURN_IF_ERROR(common::SetUpLog(common::LogFormat::kText, "warn"));
  const std::chrono::microseconds spin(options.spin_us);
  ASSIGN_OR_RETURN(const std::unique_ptr<NullTulip> tulip, NullTulip::Start(spin));
  Recorder& recorder = tulip->recorder();
  ASSIGN_OR_RETURN(const TextSide text, TextSide::Open(options.model, options.tokens));
  common::Metrics metrics;
  NullWorker worker("null", spin, recorder);
  RecordedClient in_process(worker.client(), Mark::kAsked, Mark::kAnswered, recorder);
  ASSIGN_OR_RETURN(const auto inline_keeper, Reach(*tulip, NullTulip::kInlineModel, metrics));
  RecordedClient inline_remote(inline_keeper->set(), Mark::kAsked, Mark::kReturned, recorder);
  ASSIGN_OR_RETURN(const auto keeper, Reach(*tulip, NullTulip::kModel, metrics));
  RecordedClient remote(keeper->set(), Mark::kAsked, Mark::kReturned, recorder);
  ASSIGN_OR_RETURN(const auto serve, NullGateway::Create(text, spin, in_process));
  ASSIGN_OR_RETURN(const auto ivy, NullGateway::Create(text, spin, remote));
  const std::string nothing = HttpAnswer(200, NullEmbeddings(1, NullEngine::kColumns));
  ASSIGN_OR_RETURN(const auto null_server,
                   NullServer::Create([&](auto) { return std::string(nothing); }));
  const Url null_url = {.host = "127.0.0.1", .port = null_server->port()};

  const auto ids = MakeIdBodies(options.tokens, NullEngine::kVocabularySize);
  const auto texts = MakeTextBodies(text, options.tokens);
  Paths paths;
  paths.push_back(MakeWakeUpPath(recorder));
  paths.push_back(MakeClientPath("worker", in_process, Mark::kAnswered, options.tokens));
  paths.push_back(
      MakeClientPath("gRPC, no worker", inline_remote, Mark::kReturned, options.tokens));
  paths.push_back(MakeClientPath("gRPC", remote, Mark::kReturned, options.tokens));
  const auto add = [&](const char* name, const Url& url,
                       const std::vector<std::string>& bodies) -> absl::Status {
    ASSIGN_OR_RETURN(auto path, MakeHttpPath(name, url, bodies, recorder));
    paths.push_back(std::move(path));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(add("HTTP, no server", null_url, ids));
  RETURN_IF_ERROR(add("serve, ids", serve->url(), ids));
  RETURN_IF_ERROR(add("ivy, ids", ivy->url(), ids));
  RETURN_IF_ERROR(add("serve, text", serve->url(), texts));
  RETURN_IF_ERROR(add("ivy, text", ivy->url(), texts));
  std::vector<PathTimes> times;
  RETURN_IF_ERROR(Measure(paths, options, recorder, times));
  Print(times, options);
  return absl::OkStatus();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("What a request costs on its way to the engine and back", "overhead_rates");
  app.option_defaults()->always_capture_default();
  app.add_option("--model", options.model, "Folder whose tokenizer is used")->type_name("FOLDER");
  app.add_option("--tokens", options.tokens, "Of a request")->check(CLI::Range(8, 512));
  app.add_option("--requests", options.requests, "Measured, each way")
      ->check(CLI::Range(10, 1'000'000));
  app.add_option("--pause-us", options.pause_us, "Before each request")->type_name("US");
  app.add_option("--spin-us", options.spin_us,
                 "How long threads of worker and gateway spin before they sleep, as beside a GPU")
      ->type_name("US");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = bench::Run(options);
  if (status.ok()) return 0;
  fmt::print(stderr, "overhead_rates: {}\n", std::string(status.message()));
  return 1;
}
