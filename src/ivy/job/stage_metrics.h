#pragma once

#include "common/clock.h"
#include "common/metrics.h"
#include "wire/inference.h"

namespace ivy {

/// Where the time of requests that a model runs for goes, stage by stage, in seconds. Any thread.
struct StageMetrics {
  explicit StageMetrics(common::Metrics& metrics);

  /// `took`: from its being sent to its answer.
  void ObserveChunk(common::Duration took, const wire::Timing& timing) const;

  common::Histogram& tokenize;
  // Of each chunk that was answered.
  common::Histogram& chunk_queue;    ///< As its replica tells.
  common::Histogram& chunk_compute;  ///< Likewise.
  common::Histogram& chunk_hop;      ///< The rest: the way there and back.
  common::Histogram& render;
};

}  // namespace ivy
