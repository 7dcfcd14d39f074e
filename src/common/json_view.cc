#include "common/json_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace common {
namespace {

constexpr std::size_t kShownMax = 60;  // Bytes of a value that an error quotes.

bool IsIdentifier(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string Quoted(std::string_view key) {
  return nlohmann::json(key).dump(-1, ' ', /*ensure_ascii=*/true);
}

}  // namespace

JsonView::JsonView(const nlohmann::json& document, std::string_view name)
    : JsonView(document, name, "") {}

JsonView::JsonView(const nlohmann::json& value, std::string_view name, std::string path)
    : value_(&value), name_(name), path_(std::move(path)) {}

JsonView JsonView::Child(std::string_view key, const nlohmann::json& value) const {
  const std::string_view dot = path_.empty() ? "" : ".";
  return {value, name_,
          IsIdentifier(key) ? fmt::format("{}{}{}", path_, dot, key)
                            : fmt::format("{}[{}]", path_, Quoted(key))};
}

bool JsonView::is_null() const { return value_->is_null(); }

bool JsonView::Has(std::string_view key) const {
  if (!value_->is_object()) return false;
  const auto member = value_->find(key);
  return member != value_->end() && !member->is_null();
}

absl::StatusOr<JsonView> JsonView::Member(std::string_view key) const {
  if (!value_->is_object()) return Expected("an object");
  const auto member = value_->find(key);
  if (member == value_->end()) return Error(fmt::format("key {} is missing", Quoted(key)));
  return Child(key, *member);
}

JsonView JsonView::Element(std::size_t i) const {
  return {(*value_)[i], name_, fmt::format("{}[{}]", path_, i)};
}

absl::StatusOr<bool> JsonView::Bool(std::string_view key) const {
  ASSIGN_OR_RETURN(const JsonView member, Member(key));
  if (!member.value_->is_boolean()) return member.Expected("true or false");
  return member.value_->get<bool>();
}

absl::StatusOr<std::string_view> JsonView::String(std::string_view key) const {
  ASSIGN_OR_RETURN(const JsonView member, Member(key));
  return member.AsString();
}

absl::StatusOr<int32_t> JsonView::Integer(std::string_view key, int32_t last) const {
  ASSIGN_OR_RETURN(const JsonView member, Member(key));
  return member.AsInteger(last);
}

absl::StatusOr<std::string_view> JsonView::AsString() const {
  if (!value_->is_string()) return Expected("a string");
  return value_->get_ref<const std::string&>();
}

absl::StatusOr<int32_t> JsonView::AsInteger(int32_t last) const {
  // Below zero it is far above `last`.
  if (!value_->is_number_integer() || value_->get<uint64_t>() > static_cast<uint64_t>(last)) {
    return Expected(fmt::format("an integer from 0 to {}", last));
  }
  return value_->get<int32_t>();
}

absl::Status JsonView::ForEachElement(
    absl::FunctionRef<absl::Status(const JsonView&)> visit) const {
  if (!value_->is_array()) return Expected("a list");
  for (std::size_t i = 0; i < value_->size(); ++i) {
    RETURN_IF_ERROR(visit(Element(i)));
  }
  return absl::OkStatus();
}

absl::Status JsonView::ForEachMember(
    absl::FunctionRef<absl::Status(const std::string&, const JsonView&)> visit) const {
  if (!value_->is_object()) return Expected("an object");
  for (const auto& [key, value] : value_->items()) {
    RETURN_IF_ERROR(visit(key, Child(key, value)));
  }
  return absl::OkStatus();
}

absl::Status JsonView::ExpectKeys(std::initializer_list<std::string_view> known) const {
  return ForEachMember([&](const std::string& key, const JsonView& value) {
    if (std::find(known.begin(), known.end(), key) != known.end()) return absl::OkStatus();
    return value.Error(fmt::format("key is not known; known: {}", fmt::join(known, ", ")));
  });
}

absl::Status JsonView::Error(std::string_view message) const {
  const std::string_view colon = path_.empty() ? "" : ": ";
  return absl::InvalidArgumentError(fmt::format("{}: {}{}{}", name_, path_, colon, message));
}

absl::Status JsonView::Expected(std::string_view what) const {
  std::string got = value_->is_object()  ? "an object"
                    : value_->is_array() ? "a list"
                                         : value_->dump(-1, ' ', /*ensure_ascii=*/true);
  if (got.size() > kShownMax) got.replace(kShownMax, std::string::npos, "…");
  return Error(fmt::format("expected {}, got {}", what, got));
}

}  // namespace common
