#include "ivy/http/route_metrics.h"

namespace ivy {

RouteMetrics::RouteMetrics(common::Metrics& metrics, const std::string& route)
    : requests_(metrics.Counter("parterre_requests_total", "HTTP requests answered.",
                                {{"route", route}})),
      successes_(metrics.Counter("parterre_requests_success_total",
                                 "HTTP requests answered with a status below 400.",
                                 {{"route", route}})),
      duration_(metrics.Histogram("parterre_request_duration_seconds",
                                  "From the request's head to its answer.",
                                  common::DurationBuckets(), {{"route", route}})) {
  for (int i = 0; i < kCauses; ++i) {
    const std::string cause = InfoOf(static_cast<Cause>(i)).label;
    failures_[static_cast<std::size_t>(i)] =
        &metrics.Counter("parterre_requests_failure_total", "HTTP requests that failed, by cause.",
                         {{"route", route}, {"cause", cause}});
  }
}

void RouteMetrics::Count(const Response& response, common::Duration duration) {
  requests_.Increment();
  duration_.Observe(duration);
  if (response.cause) {
    failures_[static_cast<std::size_t>(*response.cause)]->Increment();
  } else {
    successes_.Increment();
  }
}

}  // namespace ivy
