#include "ivy/job/admission.h"

namespace ivy {

struct Admission::Places {
  const int most;
  prometheus::Gauge& in_flight;
  std::atomic<int> taken{0};
};

Admission::Admission(int inputs_max, prometheus::Gauge& in_flight)
    : places_(new Places{.most = inputs_max, .in_flight = in_flight}) {}

std::optional<Permit> Admission::TryAcquire(int inputs) {
  int taken = places_->taken.load();
  do {
    if (inputs > places_->most - taken) return std::nullopt;
  } while (!places_->taken.compare_exchange_weak(taken, taken + inputs));
  places_->in_flight.Increment(inputs);
  const auto release = [places = places_, inputs](void*) {
    places->taken -= inputs;
    places->in_flight.Decrement(inputs);
  };
  return Permit(std::shared_ptr<void>(nullptr, release));
}

}  // namespace ivy
