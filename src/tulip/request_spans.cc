#include "tulip/request_spans.h"

namespace tulip {

void RecordSpans(const Request& request, const absl::StatusOr<wire::InferenceResult>& outcome,
                 const StepTimes& times) {
  const common::Trace& trace = request.asked.trace;
  if (!trace.recorded()) return;
  const bool ran = request.ending == Ending::kTaken;
  common::Span queue(trace, "queue", request.enqueued);
  queue.Set("parterre.sequences", request.sequences()).Set("parterre.tokens", request.tokens());
  if (!ran) queue.Fail(outcome.status());
  queue.End(ran ? request.taken : times.launched);
  if (!ran) return;
  common::Span compute(trace, "compute", times.launched);
  if (outcome.ok()) compute.Set("parterre.batch_tokens", outcome->timing.batch_tokens);
  compute.Fail(outcome.status()).End(times.ready);
}

}  // namespace tulip
