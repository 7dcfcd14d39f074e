#include "ivy/job/stage_metrics.h"

#include <algorithm>
#include <chrono>

namespace ivy {

StageMetrics::StageMetrics(common::Metrics& metrics)
    : tokenize(metrics.Histogram("parterre_tokenize_duration_seconds",
                                 "Tokenizing of one request, waiting included.",
                                 common::DurationBuckets())),
      chunk_queue(metrics.Histogram("parterre_chunk_queue_duration_seconds",
                                    "What a chunk waited at its replica.",
                                    common::DurationBuckets())),
      chunk_compute(metrics.Histogram("parterre_chunk_compute_duration_seconds",
                                      "What a chunk took to compute at its replica.",
                                      common::DurationBuckets())),
      chunk_hop(metrics.Histogram("parterre_chunk_hop_duration_seconds",
                                  "What a chunk took beside that, to its replica and back.",
                                  common::DurationBuckets())),
      render(metrics.Histogram("parterre_render_duration_seconds", "Writing one answer's JSON.",
                               common::ShortDurationBuckets())) {}

void StageMetrics::ObserveChunk(common::Duration took, const wire::Timing& timing) const {
  const common::Duration queue = std::chrono::microseconds(timing.queue_us);
  const common::Duration compute = std::chrono::microseconds(timing.compute_us);
  chunk_queue.Observe(queue);
  chunk_compute.Observe(compute);
  // Between the two a request of several batches also runs, and a replica may say anything.
  chunk_hop.Observe(std::max(took - queue - compute, common::Duration::zero()));
}

}  // namespace ivy
