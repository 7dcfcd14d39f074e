#include "ivy/http/router.h"

#include "common/check.h"

namespace ivy {

const Endpoint* Route::Find(Method method) const {
  const bool reads = method == Method::kGet || method == Method::kHead;
  if (reads && get) return &get;
  if (method == Method::kPost && post) return &post;
  return nullptr;
}

std::string Route::Allow() const {
  std::string methods;
  if (get) methods += "GET, HEAD, ";
  if (post) methods += "POST, ";
  return methods + "OPTIONS";
}

Router::Router(common::Metrics& metrics) : metrics_(metrics) {
  unknown_.name = "unknown";
  unknown_.metrics = std::make_unique<RouteMetrics>(metrics, unknown_.name);
}

void Router::Add(const std::vector<std::string>& paths, Route route) {
  route.name = paths.front();
  route.metrics = std::make_unique<RouteMetrics>(metrics_, route.name);
  routes_.push_back(std::make_unique<Route>(std::move(route)));
  for (const std::string& path : paths) {
    CHECK(by_path_.emplace(path, routes_.back().get()).second) << "route twice: " << path;
  }
}

const Route& Router::Find(std::string_view path) const {
  if (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? unknown_ : *found->second;
}

}  // namespace ivy
