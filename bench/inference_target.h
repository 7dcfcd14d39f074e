#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/target.h"
#include "common/clock.h"
#include "wire/inference.h"

namespace bench {

/// What takes token ids as they are: a worker in this process, or a Tulip behind gRPC. A request's
/// time runs from the call until its client has the answer. Texts are refused.
class InferenceTarget final : public Target {
 public:
  /// As wire::InferenceClient::Infer. Any thread, several at once.
  using Infer = std::function<void(wire::InferenceRequest, wire::InferenceClient::Callback)>;

  /// `model`: of the requests; empty: the only one there.
  InferenceTarget(Infer infer, std::string model,
                  common::Duration timeout = std::chrono::minutes(5));

  absl::StatusOr<std::unique_ptr<Client>> Connect(const std::vector<Request>& requests) override;
  absl::StatusOr<Vectors> Embed(const Request& request) override;
  absl::StatusOr<std::unique_ptr<Target>> MakeNull(int rows, int dimensions) const override;

 private:
  const Infer infer_;
  const std::string model_;
  const common::Duration timeout_;
};

}  // namespace bench
