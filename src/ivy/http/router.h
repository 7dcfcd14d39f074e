#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/metrics.h"
#include "ivy/http/exchange.h"
#include "ivy/http/route_metrics.h"

namespace ivy {

using Endpoint = std::function<void(const std::shared_ptr<Exchange>&)>;

/// What one path (and its aliases) does. A GET endpoint serves HEAD too.
struct Route {
  std::string name{};  ///< The metrics' label.
  Dialect dialect = Dialect::kOpenAi;
  bool open = false;  ///< Needs no API key.
  Endpoint get{};
  Endpoint post{};
  std::unique_ptr<RouteMetrics> metrics{};  ///< Made by Router::Add.

  /// The endpoint of a method; null if the route has none.
  const Endpoint* Find(Method method) const;
  std::string Allow() const;  ///< "GET, HEAD, OPTIONS"
};

/// Paths → routes; a trailing slash makes no difference. Filled at start, then read by any thread.
class Router {
 public:
  explicit Router(common::Metrics& metrics);

  /// `paths`: the route's own first, its aliases after it.
  void Add(const std::vector<std::string>& paths, Route route);
  /// The route of `path`, or the one that stands for all unknown paths (it has no endpoint).
  const Route& Find(std::string_view path) const;
  bool Knows(std::string_view path) const { return &Find(path) != &unknown_; }

 private:
  common::Metrics& metrics_;
  std::vector<std::unique_ptr<Route>> routes_;
  std::map<std::string, const Route*, std::less<>> by_path_;
  Route unknown_;
};

}  // namespace ivy
