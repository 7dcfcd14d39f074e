#include "ivy/api/inputs.h"

#include <fmt/format.h>

#include "ivy/api/json_body.h"
#include "ivy/http/cause.h"

namespace ivy {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

constexpr char kText[] = "a string";
constexpr char kIds[] = "a list of token ids";

absl::StatusOr<EmbedInput> ReadText(element value, const std::string& path) {
  std::string_view text;
  if (value.get(text)) return WrongType(path, kText, value);
  if (text.empty()) {
    return Failure(Cause::kEmpty, path, "expected a string that is not empty");
  }
  return EmbedInput(std::string(text));
}

absl::StatusOr<EmbedInput> ReadIds(array list, const std::string& path, int vocabulary) {
  std::vector<int32_t> ids;
  ids.reserve(list.size());
  for (const element value : list) {
    const auto here = [&] { return fmt::format("{}[{}]", path, ids.size()); };
    if (value.type() == simdjson::dom::element_type::DOUBLE || !value.is_number())
      return WrongType(here(), "a token id", value);
    int64_t id = -1;
    if (value.get(id) || id < 0 || id >= vocabulary) {
      return Failure(Cause::kValidation, here(),
                     fmt::format("expected a token id from 0 to {}, got {}", vocabulary - 1,
                                 simdjson::minify(value)));
    }
    ids.push_back(static_cast<int32_t>(id));
  }
  if (ids.empty()) return Failure(Cause::kEmpty, path, "expected at least one token id");
  return EmbedInput(std::move(ids));
}

absl::Status ReadList(array list, const InputRules& rules, EmbedJob& job) {
  if (list.size() > static_cast<std::size_t>(rules.items_max)) {
    return Failure(Cause::kTooManyItems, job.field,
                   fmt::format("{} items, expected at most {} (--max-client-batch-size)",
                               list.size(), rules.items_max));
  }
  const bool texts_first = list.at(0).value_unsafe().is_string();
  job.inputs.reserve(list.size());
  for (const element value : list) {
    const std::string path = job.PathOf(job.inputs.size());
    if (rules.may_mix && !value.is_string() && !value.is_array()) {
      return WrongType(path, "a string or a list of token ids", value);
    }
    const bool as_text = rules.may_mix ? value.is_string() : texts_first;
    array ids;
    if (!as_text && value.get(ids)) return WrongType(path, kIds, value);
    absl::StatusOr<EmbedInput> input =
        as_text ? ReadText(value, path) : ReadIds(ids, path, job.model->info().vocabulary_size);
    if (!input.ok()) return input.status();
    job.inputs.push_back(*std::move(input));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadInputs(element value, const InputRules& rules, EmbedJob& job) {
  job.field = rules.field;
  array list;
  const bool is_list = value.get(list) == simdjson::SUCCESS;
  if (!is_list && !value.is_string()) {
    return WrongType(rules.field, "a string, a list of strings, token ids or lists of token ids",
                     value);
  }
  if (is_list && list.size() == 0) {
    return Failure(Cause::kEmpty, rules.field, "expected at least one item, got an empty list");
  }
  job.single = !is_list || list.at(0).value_unsafe().is_number();
  if (is_list && !job.single) return ReadList(list, rules, job);
  absl::StatusOr<EmbedInput> input =
      is_list ? ReadIds(list, job.field, job.model->info().vocabulary_size)
              : ReadText(value, job.field);
  if (!input.ok()) return input.status();
  job.inputs.push_back(*std::move(input));
  return absl::OkStatus();
}

}  // namespace ivy
