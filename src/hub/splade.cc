#include "hub/splade.h"

#include <fmt/format.h>

#include "hub/config.h"
#include "hub/read_config.h"

namespace hub {

absl::StatusOr<Splade> ReadSplade(const std::filesystem::path& folder, const std::string& path) {
  ASSIGN_OR_RETURN(const Config config, ReadConfig(folder, path + "/config.json"));
  Splade splade;
  ASSIGN_OR_RETURN(const std::string strategy, config.String("pooling_strategy", "max"));
  if (strategy != "max" && strategy != "sum") {
    return config.Error("pooling_strategy",
                        fmt::format("expected \"max\" or \"sum\", got \"{}\"", strategy));
  }
  splade.pooling = strategy == "max" ? Splade::Pooling::kMax : Splade::Pooling::kSum;
  ASSIGN_OR_RETURN(const std::string function, config.String("activation_function", "relu"));
  if (function != "relu" && function != "log1p_relu") {
    return config.Error("activation_function",
                        fmt::format("expected \"relu\" or \"log1p_relu\", got \"{}\"", function));
  }
  splade.log1p_twice = function == "log1p_relu";
  return splade;
}

}  // namespace hub
