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
  const std::string file = path.string();
  ASSIGN_OR_RETURN(const std::string text, common::ReadFile(path));
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    return absl::InvalidArgumentError(fmt::format("{}:{}:{}: {}", file, error.source().begin.line,
                                                  error.source().begin.column,
                                                  error.description()));
  }
  ConfigFile config;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    std::vector<std::string>& values = config[name];
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& element : *array) {
        ASSIGN_OR_RETURN(values.emplace_back(), Scalar(file, name, element));
      }
    } else {
      ASSIGN_OR_RETURN(values.emplace_back(), Scalar(file, name, node));
    }
  }
  return config;
}
