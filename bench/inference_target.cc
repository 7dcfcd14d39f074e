#include "bench/inference_target.h"

#include <optional>
#include <utility>

#include "common/mutex.h"

namespace bench {
namespace {

using Result = absl::StatusOr<wire::InferenceResult>;

/// An answer that a thread waits for.
class Reply {
 public:
  void Give(Result result) {
    const common::MutexLock lock(mutex_);
    result_.emplace(std::move(result));
    given_.NotifyOne();  // With the lock held: who waits ends us.
  }
  Result Await() {
    common::MutexLock lock(mutex_);
    while (!result_) given_.Wait(lock);
    return *std::move(result_);
  }

 private:
  common::Mutex mutex_;
  common::ConditionVariable given_;
  std::optional<Result> result_ ABSL_GUARDED_BY(mutex_);
};

Result Ask(const InferenceTarget::Infer& infer, wire::InferenceRequest request) {
  Reply reply;
  infer(std::move(request), [&reply](Result result) { reply.Give(std::move(result)); });
  return reply.Await();
}

absl::StatusOr<wire::InferenceRequest> Pack(const Request& request, const std::string& model) {
  if (!request.texts.empty()) {
    return absl::InvalidArgumentError("texts go to an HTTP server only; this takes token ids");
  }
  wire::InferenceRequest packed;
  packed.model = model;
  for (const std::vector<int32_t>& ids : request.ids) {
    packed.ids.insert(packed.ids.end(), ids.begin(), ids.end());
    packed.lengths.push_back(static_cast<int32_t>(ids.size()));
  }
  return packed;
}

class InferenceClient final : public Client {
 public:
  InferenceClient(InferenceTarget::Infer infer, std::vector<wire::InferenceRequest> requests,
                  common::Duration timeout)
      : infer_(std::move(infer)), requests_(std::move(requests)), timeout_(timeout) {}

  absl::StatusOr<Answer> Send(std::size_t index) override {
    wire::InferenceRequest request = requests_[index];
    const common::TimePoint start = common::Clock::Steady().Now();
    request.deadline = start + timeout_;
    ASSIGN_OR_RETURN(const wire::InferenceResult result, Ask(infer_, std::move(request)));
    return Answer{.took = common::Clock::Steady().Now() - start,
                  .rows = result.sequences,
                  .dimensions = result.dense.columns,
                  .tokens = static_cast<int64_t>(requests_[index].ids.size())};
  }

 private:
  const InferenceTarget::Infer infer_;
  const std::vector<wire::InferenceRequest> requests_;
  const common::Duration timeout_;
};

}  // namespace

InferenceTarget::InferenceTarget(Infer infer, std::string model, common::Duration timeout)
    : infer_(std::move(infer)), model_(std::move(model)), timeout_(timeout) {}

absl::StatusOr<std::unique_ptr<Client>> InferenceTarget::Connect(
    const std::vector<Request>& requests) {
  std::vector<wire::InferenceRequest> packed;
  for (const Request& request : requests) {
    ASSIGN_OR_RETURN(packed.emplace_back(), Pack(request, model_));
  }
  return std::make_unique<InferenceClient>(infer_, std::move(packed), timeout_);
}

absl::StatusOr<Vectors> InferenceTarget::Embed(const Request& request) {
  ASSIGN_OR_RETURN(wire::InferenceRequest packed, Pack(request, model_));
  packed.deadline = common::Clock::Steady().Now() + timeout_;
  ASSIGN_OR_RETURN(const wire::InferenceResult result, Ask(infer_, std::move(packed)));
  Vectors vectors;
  for (auto row = result.dense.values.begin(); row != result.dense.values.end();
       row += result.dense.columns) {
    vectors.emplace_back(row, row + result.dense.columns);
  }
  return vectors;
}

absl::StatusOr<std::unique_ptr<Target>> InferenceTarget::MakeNull(int rows, int dimensions) const {
  wire::InferenceResult nothing;
  nothing.sequences = rows;
  nothing.dense.columns = dimensions;
  nothing.dense.values.resize(static_cast<std::size_t>(rows) *
                              static_cast<std::size_t>(dimensions));
  const Infer answer = [nothing](const wire::InferenceRequest&,
                                 const wire::InferenceClient::Callback& done) { done(nothing); };
  return std::make_unique<InferenceTarget>(answer, model_, timeout_);
}

}  // namespace bench
