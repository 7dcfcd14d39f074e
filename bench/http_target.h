#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "bench/null_server.h"
#include "bench/target.h"
#include "bench/url.h"

namespace bench {

/// A server with POST /v1/embeddings. Each client has a kept-alive connection; a request's time
/// runs from its first byte sent to its last byte read.
class HttpTarget final : public Target {
 public:
  /// `model`: the requests' "model"; empty: none is sent. `timeout`: the longest silence of the
  /// server.
  explicit HttpTarget(Url url, std::string model = {},
                      std::chrono::milliseconds timeout = std::chrono::minutes(5));

  absl::StatusOr<std::unique_ptr<Client>> Connect(const std::vector<Request>& requests) override;
  absl::StatusOr<Vectors> Embed(const Request& request) override;
  absl::StatusOr<std::unique_ptr<Target>> MakeNull(int rows, int dimensions) const override;

 private:
  const Url url_;
  const std::string model_;
  const std::chrono::milliseconds timeout_;
};

/// The JSON body that asks for the vectors of a request's inputs in base64.
std::string EmbeddingsBody(const Request& request, const std::string& model);

}  // namespace bench
