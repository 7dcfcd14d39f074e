#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "common/metrics.h"

namespace ivy {

/// Leave to work on a number of inputs. Whoever works on them holds it; the places are free again
/// when it goes.
class Permit {
 public:
  Permit(Permit&&) = default;
  Permit& operator=(Permit&&) = default;

 private:
  friend class Admission;
  explicit Permit(std::shared_ptr<void> places) : places_(std::move(places)) {}

  std::shared_ptr<void> places_;
};

/// Bounds the inputs that are worked on at once. Any thread.
class Admission {
 public:
  Admission(int inputs_max, prometheus::Gauge& in_flight);

  /// All places at once or none; never waits.
  std::optional<Permit> TryAcquire(int inputs);

 private:
  struct Places;
  std::shared_ptr<Places> places_;
};

}  // namespace ivy
