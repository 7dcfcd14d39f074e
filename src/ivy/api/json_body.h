#pragma once

#include <simdjson.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/status.h"

namespace ivy {

/// "a string", "a number", …: what an element is, for messages.
const char* KindOf(simdjson::dom::element element);

/// Failure(kValidation): `path`: expected `expected`, got a …
absl::Status WrongType(std::string_view path, std::string_view expected,
                       simdjson::dom::element element);

/// The field of that name: the last of equal keys counts, null is as good as absent.
std::optional<simdjson::dom::element> FindField(simdjson::dom::object object, std::string_view key);

/// A request's body, which must be one JSON object of valid UTF-8. Fields by name, as
/// FindField finds them; keys nobody asks for are ignored. Getters name the field when its type is
/// wrong. Views live as long as the object; one thread, and one JsonBody at a time in it.
class JsonBody {
 public:
  /// Parses `body` in place if its capacity allows. Errors (kMalformed) give the path of the value
  /// at which the text stops being JSON.
  static absl::StatusOr<JsonBody> Parse(const std::string& body);

  std::optional<simdjson::dom::element> Find(std::string_view key) const {
    return FindField(fields_, key);
  }
  absl::StatusOr<std::optional<std::string_view>> String(std::string_view key) const;
  absl::StatusOr<std::optional<bool>> Bool(std::string_view key) const;
  /// Absent, or an object, whose views live as long as this one's.
  absl::StatusOr<std::optional<JsonBody>> Object(std::string_view key) const;
  /// Absent, or an integer in [min, max].
  absl::StatusOr<std::optional<int64_t>> Int(std::string_view key, int64_t min, int64_t max) const;

 private:
  JsonBody() = default;

  std::unique_ptr<simdjson::dom::parser> own_;  ///< For a large body; else the thread's is used.
  simdjson::dom::object fields_;
};

}  // namespace ivy
