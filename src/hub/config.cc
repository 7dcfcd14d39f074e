#include "hub/config.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace hub {
namespace {

constexpr int64_t kIntMax = std::numeric_limits<int32_t>::max();

/// An integer of any sign as int64_t; nothing for other types and for what does not fit.
std::optional<int64_t> AsInteger(const nlohmann::json& value) {
  if (value.is_number_unsigned()) {
    const uint64_t number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  return std::nullopt;
}

/// The value itself where it is short, else its type: for error messages.
std::string Describe(const nlohmann::json& value) {
  if (value.is_number() || value.is_boolean()) return value.dump();
  if (value.is_null()) return "null";
  return value.is_string() ? "a string" : value.is_array() ? "a list" : "an object";
}

}  // namespace

Config::Config() : Config(nlohmann::json::object()) {}

Config::Config(nlohmann::json json, std::string file_name)
    : json_(std::make_shared<const nlohmann::json>(std::move(json))),
      file_name_(std::move(file_name)) {}

const nlohmann::json* Config::Find(std::string_view key) const {
  if (!json_->is_object()) return nullptr;
  const auto entry = json_->find(key);
  return entry == json_->end() || entry->is_null() ? nullptr : &*entry;
}

bool Config::Has(std::string_view key) const { return Find(key) != nullptr; }

absl::Status Config::Error(std::string_view key, std::string_view problem) const {
  return absl::InvalidArgumentError(fmt::format("{}: {}: {}", file_name_, key, problem));
}

absl::Status Config::Missing(std::string_view key, std::string_view expected) const {
  return Error(key, fmt::format("missing, expected {}", expected));
}

absl::Status Config::Unexpected(std::string_view key, std::string_view expected,
                                const nlohmann::json& found) const {
  return Error(key, fmt::format("expected {}, got {}", expected, Describe(found)));
}

absl::StatusOr<int64_t> Config::IntFrom(std::string_view key, int64_t smallest) const {
  const std::string expected = fmt::format("an integer of {} … {}", smallest, kIntMax);
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return Missing(key, expected);
  const std::optional<int64_t> number = AsInteger(*value);
  if (!number || *number < smallest || *number > kIntMax) return Unexpected(key, expected, *value);
  return *number;
}

absl::StatusOr<int64_t> Config::Int(std::string_view key) const { return IntFrom(key, 1); }

absl::StatusOr<int64_t> Config::Int(std::string_view key, int64_t fallback) const {
  return Has(key) ? IntFrom(key, 0) : fallback;
}

absl::StatusOr<double> Config::Float(std::string_view key) const {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return Missing(key, "a number");
  if (!value->is_number()) return Unexpected(key, "a number", *value);
  const double number = value->get<double>();
  if (!std::isfinite(number)) return Unexpected(key, "a finite number", *value);
  return number;
}

absl::StatusOr<double> Config::Float(std::string_view key, double fallback) const {
  return Has(key) ? Float(key) : fallback;
}

absl::StatusOr<bool> Config::Bool(std::string_view key, bool fallback) const {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) return Unexpected(key, "true or false", *value);
  return value->get<bool>();
}

absl::StatusOr<std::string> Config::String(std::string_view key) const {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return Missing(key, "a string");
  if (!value->is_string()) return Unexpected(key, "a string", *value);
  return value->get<std::string>();
}

absl::StatusOr<std::string> Config::String(std::string_view key, std::string_view fallback) const {
  return Has(key) ? String(key) : std::string(fallback);
}

absl::StatusOr<std::vector<std::string>> Config::Strings(std::string_view key) const {
  std::vector<std::string> strings;
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return strings;
  if (!value->is_array()) return Unexpected(key, "a list of strings", *value);
  for (const nlohmann::json& item : *value) {
    if (!item.is_string()) {
      return Unexpected(fmt::format("{}[{}]", key, strings.size()), "a string", item);
    }
    strings.push_back(item.get<std::string>());
  }
  return strings;
}

absl::StatusOr<std::map<std::string, std::string>> Config::StringMap(std::string_view key) const {
  std::map<std::string, std::string> strings;
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return strings;
  if (!value->is_object()) return Unexpected(key, "an object of strings", *value);
  for (const auto& [name, item] : value->items()) {
    if (!item.is_string()) return Unexpected(fmt::format("{}.{}", key, name), "a string", item);
    strings[name] = item.get<std::string>();
  }
  return strings;
}

absl::StatusOr<Config> Config::Object(std::string_view key) const {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return Missing(key, "an object");
  if (!value->is_object()) return Unexpected(key, "an object", *value);
  return Config(*value, fmt::format("{}: {}", file_name_, key));
}

}  // namespace hub
