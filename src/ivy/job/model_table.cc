#include "ivy/job/model_table.h"

#include <fmt/format.h>

#include <utility>

#include "common/check.h"
#include "ivy/http/cause.h"

namespace ivy {

absl::StatusOr<std::unique_ptr<ModelTable>> ModelTable::Create(std::vector<ServedModel> models,
                                                               bool any_name) {
  if (models.empty()) return absl::InvalidArgumentError("no model to serve");
  auto table = std::make_unique<ModelTable>();
  table->any_name_ = any_name && models.size() == 1;
  for (ServedModel& model : models) RETURN_IF_ERROR(table->Add(std::move(model)));
  return table;
}

absl::Status ModelTable::Add(ServedModel served) {
  CHECK(served.folder != nullptr && served.tokenizer != nullptr && served.client != nullptr);
  const wire::ModelInfo& info = served.client->Info();
  ASSIGN_OR_RETURN(std::unique_ptr<Model> model, MakeModel(std::move(served), info));
  std::vector<std::string> names = model->served.aliases;
  names.push_back(model->served.name);
  models_.push_back(std::move(model));
  for (const std::string& name : names) {
    if (!by_name_.emplace(name, models_.back().get()).second) {
      return absl::InvalidArgumentError(fmt::format("two models are named {}", name));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<const Model*> ModelTable::Find(std::optional<std::string_view> name) const {
  if (any_name_ || (!name && models_.size() == 1)) return &first();
  const auto found = name ? by_name_.find(*name) : by_name_.end();
  if (found != by_name_.end()) return found->second;
  std::string known;
  for (const auto& [served, model] : by_name_) {
    known += (known.empty() ? "" : ", ") + served;
  }
  if (!name) return Failure(Cause::kModel, "model", "missing; served here: " + known);
  return Failure(Cause::kModel, "model",
                 fmt::format("\"{}\" is not served here; known: {}", Excerpt(*name), known));
}

}  // namespace ivy
