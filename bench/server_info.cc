#include "bench/server_info.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "bench/connection.h"

namespace bench {

absl::StatusOr<ServerInfo> ReadServerInfo(std::string_view body) {
  try {
    const nlohmann::json json = nlohmann::json::parse(body);
    ServerInfo info = {.schedule = json.at("schedule"),
                       .engines = json.at("engines"),
                       .vocabulary = json.at("vocabulary_size"),
                       .max_length = json.at("max_input_length"),
                       .saturation_tokens = json.at("saturation_tokens")};
    for (const nlohmann::json& point : json.at("batch_curve")) {
      if (point.at("tokens") != info.saturation_tokens) continue;
      info.step_ms = point.at("step_us").get<double>() * 1e-3;
    }
    for (const auto& [name, value] : {std::pair("engines", int64_t{info.engines}),
                                      std::pair("vocabulary_size", int64_t{info.vocabulary}),
                                      std::pair("saturation_tokens", info.saturation_tokens)}) {
      if (value > 0) continue;
      return absl::InvalidArgumentError(
          fmt::format("/info: {}: {}, expected a number above 0", name, value));
    }
    return info;
  } catch (const nlohmann::json::exception& error) {
    return absl::InvalidArgumentError(
        fmt::format("/info is not that of a Parterre: {}", error.what()));
  }
}

absl::StatusOr<ServerInfo> FetchServerInfo(const Url& url, std::chrono::milliseconds timeout) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(url, timeout));
  ASSIGN_OR_RETURN(const Exchange exchange, connection->Post(GetRequest(url, "/info")));
  if (exchange.status == 200) return ReadServerInfo(exchange.body);
  return absl::FailedPreconditionError(fmt::format("/info: status {}", exchange.status));
}

}  // namespace bench
