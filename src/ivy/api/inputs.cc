#include "ivy/api/inputs.h"

#include <fmt/format.h>

#include "ivy/api/json_body.h"
#include "ivy/http/cause.h"

namespace ivy {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

constexpr char kIds[] = "a list of token ids";

template <typename T>
absl::Status Add(absl::StatusOr<T> input, Job& job) {
  if (!input.ok()) return input.status();
  if constexpr (std::is_same_v<T, std::string_view>) {
    job.inputs.emplace_back(std::in_place_type<std::string>, *input);
  } else {
    job.inputs.emplace_back(*std::move(input));
  }
  return absl::OkStatus();
}

absl::Status ReadItems(array list, const InputRules& rules, Job& job) {
  const bool texts_first = list.at(0).value_unsafe().is_string();
  const int vocabulary = job.model->info().vocabulary_size;
  job.inputs.reserve(list.size());
  for (const element value : list) {
    const auto path = [&] { return job.PathOf(job.inputs.size()); };
    const bool first = job.inputs.empty();
    if ((first || rules.may_mix) && !value.is_string() && !value.is_array()) {
      return WrongType(
          path(),
          first ? "a string, a token id or a list of token ids" : "a string or a list of token ids",
          value);
    }
    array ids;
    if (rules.may_mix ? value.is_string() : texts_first) {
      RETURN_IF_ERROR(Add(ReadText(value, path), job));
    } else if (value.get(ids)) {
      return WrongType(path(), kIds, value);
    } else {
      RETURN_IF_ERROR(Add(ReadIds(ids, path, vocabulary), job));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string_view> ReadText(element value, ValuePath path, bool may_be_empty) {
  std::string_view text;
  if (value.get(text)) return WrongType(path(), "a string", value);
  if (text.empty() && !may_be_empty) {
    return Failure(Cause::kEmpty, path(), "expected a string that is not empty");
  }
  return text;
}

absl::StatusOr<std::vector<int32_t>> ReadIds(array list, ValuePath path, int vocabulary) {
  std::vector<int32_t> ids;
  ids.reserve(list.size());
  for (const element value : list) {
    const auto here = [&] { return fmt::format("{}[{}]", path(), ids.size()); };
    int64_t id = -1;
    if (value.get(id) || id < 0 || id >= vocabulary) {
      if (value.type() == simdjson::dom::element_type::DOUBLE || !value.is_number()) {
        return WrongType(here(), "a token id", value);
      }
      return Failure(Cause::kValidation, here(),
                     fmt::format("expected a token id from 0 to {}, got {}", vocabulary - 1,
                                 simdjson::minify(value)));
    }
    ids.push_back(static_cast<int32_t>(id));
  }
  if (ids.empty()) return Failure(Cause::kEmpty, path(), "expected at least one token id");
  return ids;
}

absl::StatusOr<array> ReadList(element value, std::string_view path, std::string_view expected,
                               int items_max) {
  array list;
  if (value.get(list)) return WrongType(path, expected, value);
  if (list.size() == 0) {
    return Failure(Cause::kEmpty, path, "expected at least one item, got an empty list");
  }
  if (list.size() > static_cast<std::size_t>(items_max)) {
    return Failure(Cause::kTooManyItems, path,
                   fmt::format("{} items, expected at most {} (--max-client-batch-size)",
                               list.size(), items_max));
  }
  return list;
}

absl::Status ReadInputs(element value, const InputRules& rules, Job& job) {
  job.field = rules.field;
  job.single = true;
  const auto path = [&] { return job.field; };
  if (value.is_string()) return Add(ReadText(value, path), job);
  array list;
  if (value.get(list) == simdjson::SUCCESS && list.size() > 0 &&
      list.at(0).value_unsafe().is_number()) {
    return Add(ReadIds(list, path, job.model->info().vocabulary_size), job);
  }
  job.single = false;
  ASSIGN_OR_RETURN(list, ReadList(value, rules.field,
                                  "a string, a list of strings, token ids or lists of token ids",
                                  rules.items_max));
  return ReadItems(list, rules, job);
}

}  // namespace ivy
