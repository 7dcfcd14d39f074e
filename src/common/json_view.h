#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "common/status.h"

namespace common {

/// A value inside a JSON file that knows where it stands, so that every error names file and key:
/// "tokenizer.json: added_tokens[3].id: expected …". Errors are InvalidArgument. Cheap to copy as
/// paths are short; must not outlive the document.
class JsonView {
 public:
  /// The whole document; `name` is the file's.
  JsonView(const nlohmann::json& document, std::string_view name);

  bool is_null() const;
  /// The value itself, for lists too long for a view of each element.
  const nlohmann::json& value() const { return *value_; }
  /// Whether this is an object with `key`, and not null there.
  bool Has(std::string_view key) const;

  absl::StatusOr<JsonView> Member(std::string_view key) const;
  /// Element `i` of this, which is a list that has it.
  JsonView Element(std::size_t i) const;
  absl::StatusOr<bool> Bool(std::string_view key) const;
  /// A view into the document.
  absl::StatusOr<std::string_view> String(std::string_view key) const;
  /// An integer from 0 to `last`.
  absl::StatusOr<int32_t> Integer(std::string_view key, int32_t last) const;

  absl::StatusOr<std::string_view> AsString() const;
  absl::StatusOr<int32_t> AsInteger(int32_t last) const;

  /// Calls `visit` for each element of this array, or each member of this object, in turn, up to
  /// the first error.
  absl::Status ForEachElement(absl::FunctionRef<absl::Status(const JsonView& element)> visit) const;
  absl::Status ForEachMember(
      absl::FunctionRef<absl::Status(const std::string& key, const JsonView& value)> visit) const;

  /// That this is an object without other keys than these.
  absl::Status ExpectKeys(std::initializer_list<std::string_view> known) const;

  /// An error about this value.
  absl::Status Error(std::string_view message) const;
  /// "expected `what`, got …" with the value as it stands in the file.
  absl::Status Expected(std::string_view what) const;

 private:
  JsonView(const nlohmann::json& value, std::string_view name, std::string path);

  JsonView Child(std::string_view key, const nlohmann::json& value) const;

  const nlohmann::json* value_;
  std::string_view name_;
  std::string path_;  // Empty for the document.
};

}  // namespace common
