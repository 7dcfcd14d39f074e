#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "rose/runtime/engine.h"

// Flags of the kinds that recur.

/// A flag that may stand alone (true) or take true|false, as TEI's do.
inline void AddSwitch(CLI::App& app, const std::string& name, bool& value,
                      const std::string& help) {
  const auto set = [name, &value](const std::string& text) {
    const std::string lower = CLI::detail::to_lower(text);
    if (lower == "true" || lower == "1" || lower == "on") {
      value = true;
    } else if (lower == "false" || lower == "0" || lower == "off") {
      value = false;
    } else {
      throw CLI::ValidationError(name, fmt::format("expected true or false, got {}", text));
    }
  };
  app.add_option_function<std::string>(name, set, help)
      ->expected(0, 1)
      ->type_name("BOOL")
      ->default_str(value ? "true" : "false");
}

template <typename Integer>
CLI::Option* AddNumber(CLI::App& app, const std::string& name, Integer& value, int64_t least,
                       const std::string& unit, const std::string& help) {
  const int64_t most = sizeof(value) == sizeof(int64_t) ? int64_t{1} << 40 : int64_t{1} << 30;
  return app.add_option(name, value, help)->check(CLI::Range(least, most))->type_name(unit);
}

/// Numbers from `low` to `high`. CLI::Range lets NaN through.
inline CLI::Validator RealRange(double low, double high) {
  const auto check = [low, high](const std::string& text) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= low && value <= high) return {};
    return fmt::format("Value {} not in range {} to {}", text, low, high);
  };
  return CLI::Validator(check, fmt::format("FLOAT in [{} - {}]", low, high));
}

/// The largest step of an engine.
inline CLI::Option* AddStepTokens(CLI::App& app, int64_t& value, const std::string& help) {
  return app.add_option("--max-batch-tokens", value, help)
      ->check(CLI::Range(int64_t{1}, rose::kBatchTokensMax))
      ->type_name("TOKENS");
}

inline CLI::Option* AddMilliseconds(CLI::App& app, const std::string& name,
                                    std::chrono::milliseconds& value, int64_t least,
                                    const std::string& help) {
  const auto set = [&value](const int64_t& ms) { value = std::chrono::milliseconds(ms); };
  return app.add_option_function<int64_t>(name, set, help)
      ->check(CLI::Range(least, int64_t{1} << 40))
      ->type_name("MS")
      ->default_str(std::to_string(value.count()));
}

inline void AddRevision(CLI::App& app, std::string& revision) {
  app.add_option("--revision", revision, "Branch, tag or commit of a model by hub id")
      ->type_name("REVISION");
}
