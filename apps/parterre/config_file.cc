#include "config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "common/file.h"

namespace {

absl::StatusOr<std::string> Scalar(const std::string& file, std::string_view key,
                                   const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  return absl::InvalidArgumentError(
      fmt::format("{}: {}: expected a string, a number, true or false", file, key));
}

}  // namespace

absl::StatusOr<ConfigFile> ReadConfigFile(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const std::string text, common::ReadFile(path));
  return ParseConfigFile(text, path.string());
}

absl::StatusOr<ConfigFile> ParseConfigFile(std::string_view text, const std::string& name) {
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    return absl::InvalidArgumentError(fmt::format("{}:{}:{}: {}", name, error.source().begin.line,
                                                  error.source().begin.column,
                                                  error.description()));
  }
  ConfigFile config;
  for (const auto& [key, node] : table) {
    std::vector<std::string>& values = config[std::string(key.str())];
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& element : *array) {
        ASSIGN_OR_RETURN(values.emplace_back(), Scalar(name, key.str(), element));
      }
    } else {
      ASSIGN_OR_RETURN(values.emplace_back(), Scalar(name, key.str(), node));
    }
  }
  return config;
}
