#include "bench/overhead/null_tulip.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

#include "bench/overhead/null_worker.h"
#include "bench/overhead/recorded_client.h"
#include "tulip/grpc/server.h"

namespace bench {
namespace {

/// Answers on the thread that asks.
class InlineClient final : public wire::InferenceClient {
 public:
  explicit InlineClient(wire::ModelInfo info) : info_(std::move(info)) {}

  void Infer(wire::InferenceRequest request, Callback done) override {
    wire::InferenceResult result;
    result.sequences = static_cast<int32_t>(request.lengths.size());
    result.dense.columns = info_.dimension;
    result.dense.values.assign(request.lengths.size() * static_cast<std::size_t>(info_.dimension),
                               1.0F / 32);
    done(std::move(result));
  }
  const wire::ModelInfo& Info() const override { return info_; }
  bool Healthy() const override { return true; }

 private:
  const wire::ModelInfo info_;
};

/// The process's life: tells its port (0: it cannot serve), then serves until `lifeline` closes.
void Serve(Recorder& recorder, common::Duration spin, int lifeline) {
  NullWorker worker(NullTulip::kModel, spin, recorder);
  wire::ModelInfo inline_info = worker.client().Info();
  inline_info.name = NullTulip::kInlineModel;
  InlineClient inline_client(std::move(inline_info));
  RecordedClient model(worker.client(), Mark::kReceived, Mark::kAnswered, recorder);
  RecordedClient inline_model(inline_client, Mark::kReceived, Mark::kAnswered, recorder);
  const auto server = tulip::GrpcServer::Create({.port = 0}, {&model, &inline_model});
  const int port = server.ok() ? (*server)->port() : 0;
  if (write(lifeline, &port, sizeof(port)) != sizeof(port)) return;
  char byte = 0;
  while (read(lifeline, &byte, 1) > 0) {
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<NullTulip>> NullTulip::Start(common::Duration spin) {
  void* const shared = mmap(nullptr, sizeof(Recorder), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0);
  if (shared == MAP_FAILED) return absl::ErrnoToStatus(errno, "shared memory");
  auto* const recorder = new (shared) Recorder;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "socket");
  }
  const pid_t process = fork();
  if (process < 0) return absl::ErrnoToStatus(errno, "fork");
  if (process == 0) {
    close(ends[0]);
    Serve(*recorder, spin, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  int port = 0;
  if (read(ends[0], &port, sizeof(port)) != sizeof(port)) port = 0;
  std::unique_ptr<NullTulip> tulip(new NullTulip(recorder, process, port, ends[0]));
  if (port == 0) return absl::UnavailableError("the Tulip of the bench does not start");
  return tulip;
}

NullTulip::~NullTulip() {
  close(lifeline_);
  waitpid(process_, nullptr, 0);
  munmap(recorder_, sizeof(Recorder));
}

}  // namespace bench
