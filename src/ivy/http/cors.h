#pragma once

#include <string>
#include <vector>

#include "ivy/http/message.h"

namespace ivy {

/// Cross-origin rules: which origins may read answers ("*": any). No cookies are ever involved, so
/// no credentials are allowed.
class Cors {
 public:
  explicit Cors(std::vector<std::string> origins) : origins_(std::move(origins)) {}

  /// Adds what lets the request's origin read the response, errors included.
  void Stamp(const Request& request, Response& response) const;
  /// The answer to OPTIONS; `allow`: the route's methods.
  Response Preflight(const Request& request, const std::string& allow) const;

 private:
  std::vector<std::string> origins_;
};

}  // namespace ivy
