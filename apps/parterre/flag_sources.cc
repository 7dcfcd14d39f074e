#include "flag_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

void NameEnvironment(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || option->get_lnames().front() == "help") continue;
    std::string name = option->get_lnames().front();
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
      return c == '-' ? '_' : static_cast<char>(std::toupper(c));
    });
    option->envname("PARTERRE_" + name);
  }
}

absl::Status ApplyConfig(const ConfigFile& config, CLI::App& app) {
  for (const auto& [key, values] : config) {
    CLI::Option* option = app.get_option_no_throw("--" + key);
    if (option == nullptr || key == "help" || key == "config") {
      return absl::InvalidArgumentError(
          fmt::format("config file: {}: no such flag of {}", key, app.get_name()));
    }
    if (option->count() > 0) continue;
    for (const std::string& value : values) option->add_result(value);
    option->run_callback();
  }
  return absl::OkStatus();
}
