#include "bench/session.h"

#include <fmt/format.h>

#include <utility>

namespace bench {
namespace {

// Different requests of one client, sent in turn. Few of large ones: making them takes time.
constexpr int kRequests = 40;
constexpr int kBatchRequests = 6;

absl::Status Check(const Answer& answer, const Request& request) {
  if (answer.rows != request.inputs()) {
    return absl::DataLossError(fmt::format("an answer of {} rows to a request of {} inputs",
                                           answer.rows, request.inputs()));
  }
  if (answer.tokens > 0 && answer.tokens < request.total_tokens()) {
    return absl::DataLossError(
        fmt::format("an answer that counts {} tokens to a request of {}: "
                    "the server cuts inputs of this length",
                    answer.tokens, request.total_tokens()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> Session::Open(Target& target, const Workload& workload,
                                                       uint64_t seed) {
  const int count = workload.batch == 1 ? kRequests : kBatchRequests;
  ASSIGN_OR_RETURN(std::vector<Request> requests, MakeRequests(workload, count, seed));
  ASSIGN_OR_RETURN(auto client, target.Connect(requests));
  return std::unique_ptr<Session>(new Session(std::move(requests), std::move(client)));
}

Session::Session(std::vector<Request> requests, std::unique_ptr<Client> client)
    : requests_(std::move(requests)), client_(std::move(client)), measured_(requests_.size()) {}

absl::Status Session::WarmUp(int requests, common::Duration most) {
  const common::TimePoint start = common::Clock::Steady().Now();
  for (int i = 0; i < requests; ++i) {
    ASSIGN_OR_RETURN(const Answer answer, Send(Next()));
    dimensions_ = answer.dimensions;
    if (common::Clock::Steady().Now() - start >= most) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<common::Duration> Session::Measure() {
  const std::size_t index = Next();
  ASSIGN_OR_RETURN(const Answer answer, Send(index));
  if (answer.dimensions != dimensions_) {
    return absl::DataLossError(fmt::format("an answer of {} dimensions after those of {}",
                                           answer.dimensions, dimensions_));
  }
  ++measured_[index];
  tokens_ += answer.tokens;
  return answer.took;
}

absl::StatusOr<Answer> Session::Send(std::size_t index) {
  ASSIGN_OR_RETURN(const Answer answer, client_->Send(index));
  RETURN_IF_ERROR(Check(answer, requests_[index]));
  return answer;
}

std::map<int32_t, int64_t> Session::InputsByTokens() const {
  std::map<int32_t, int64_t> inputs;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    for (const int32_t tokens : requests_[i].tokens) inputs[tokens] += measured_[i];
  }
  return inputs;
}

}  // namespace bench
