#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace hub {

/// config.json, read by key. A key that is missing is an error unless a default is written at the
/// call; a value of the wrong type or out of range is an error either way; errors name the file and
/// the key ("config.json: num_attention_heads: expected an integer, got a string"). Cheap to copy;
/// immutable; any thread.
class Config {
 public:
  Config();
  explicit Config(nlohmann::json json, std::string file_name = "config.json");

  bool Has(std::string_view key) const;  ///< Present and not null.

  /// 1 … 2³¹−1: dimensions and counts; safe to cast to int.
  absl::StatusOr<int64_t> Int(std::string_view key) const;
  /// 0 … 2³¹−1.
  absl::StatusOr<int64_t> Int(std::string_view key, int64_t fallback) const;
  absl::StatusOr<double> Float(std::string_view key) const;  ///< Finite.
  absl::StatusOr<double> Float(std::string_view key, double fallback) const;
  absl::StatusOr<bool> Bool(std::string_view key, bool fallback) const;
  absl::StatusOr<std::string> String(std::string_view key) const;
  absl::StatusOr<std::string> String(std::string_view key, std::string_view fallback) const;
  absl::StatusOr<std::vector<std::string>> Strings(std::string_view key) const;  ///< Absent: {}.
  /// String to string, in the order of the keys; absent: {}.
  absl::StatusOr<std::map<std::string, std::string>> StringMap(std::string_view key) const;
  /// A nested object; its errors name both keys ("config.json: text_config: hidden_size: …").
  absl::StatusOr<Config> Object(std::string_view key) const;

  const nlohmann::json& json() const { return *json_; }  ///< Whole, for shapes of its own kind.
  const std::string& file_name() const { return file_name_; }
  /// InvalidArgument "<file>: <key>: <problem>", for checks that callers add.
  absl::Status Error(std::string_view key, std::string_view problem) const;

 private:
  const nlohmann::json* Find(std::string_view key) const;  // Null if absent or null.
  absl::StatusOr<int64_t> IntFrom(std::string_view key, int64_t smallest) const;
  absl::Status Missing(std::string_view key, std::string_view expected) const;
  absl::Status Unexpected(std::string_view key, std::string_view expected,
                          const nlohmann::json& found) const;

  std::shared_ptr<const nlohmann::json> json_;
  std::string file_name_;
};

}  // namespace hub
