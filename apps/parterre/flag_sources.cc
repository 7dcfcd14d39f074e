#include "flag_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
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

void RefuseEmptyValues(CLI::App& app) {
  const auto check = [](const std::string& value) -> std::string {
    return value.empty() ? "expected a value, got an empty one" : "";
  };
  for (CLI::Option* option : app.get_options()) {
    if (option->get_name(/*positional=*/true) != "text") option->check(check);
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    RefuseEmptyValues(*command);
  }
}

absl::Status CheckEnvironment(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string variable = option->get_envname();
    if (variable.empty() || option->count() > 0 || std::getenv(variable.c_str()) == nullptr) {
      continue;
    }
    return absl::InvalidArgumentError(fmt::format("{}: expected a value, got an empty one from {}",
                                                  option->get_name(), variable));
  }
  return absl::OkStatus();
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
