#include "models.h"

#include <fmt/format.h>

#include <algorithm>

#include "find_model.h"
#include "text/unicode/utf8.h"

namespace {

absl::StatusOr<hub::ModelFolder> OpenFolder(const std::string& name, const ModelOptions& options,
                                            bool weights) {
  hub::OpenOptions open;
  if (!options.pooling.empty()) {
    ASSIGN_OR_RETURN(open.pooling, hub::ParsePoolingMode(options.pooling));
  }
  ASSIGN_OR_RETURN(open.task, hub::ParseTask(options.task));
  open.rerank_template = options.rerank_template;
  if (options.max_length > 0) open.max_length = options.max_length;
  open.weights_required = weights;
  return OpenModel(name, options.revision, weights, open);
}

/// `argument` is a folder or hub id, or NAME= and one of them.
absl::StatusOr<NamedModel> OpenNamed(const std::string& argument, const ModelOptions& options,
                                     bool weights) {
  const std::size_t equals = argument.find('=');
  const bool named = equals != std::string::npos;
  if (equals == 0 || equals + 1 == argument.size()) {
    return absl::InvalidArgumentError(
        fmt::format("--model {}: expected a model, or NAME=MODEL", argument));
  }
  ASSIGN_OR_RETURN(hub::ModelFolder folder,
                   OpenFolder(named ? argument.substr(equals + 1) : argument, options, weights));
  std::string name = named ? argument.substr(0, equals) : folder.name;
  if (!options.served_model_name.empty()) name = options.served_model_name;
  // It stands in JSON and in /metrics, which are UTF-8.
  if (!text::IsValidUtf8(name)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected a name in UTF-8",
                    options.served_model_name.empty() ? "--model" : "--served-model-name"));
  }
  return NamedModel{.name = std::move(name), .folder = std::move(folder)};
}

}  // namespace

absl::StatusOr<std::vector<NamedModel>> OpenModels(const ModelOptions& options, bool weights) {
  if (options.model.size() > 1 && !options.served_model_name.empty()) {
    return absl::InvalidArgumentError(
        "--served-model-name: goes with one model only; write --model NAME=FOLDER");
  }
  std::vector<NamedModel> models;
  for (const std::string& argument : options.model) {
    ASSIGN_OR_RETURN(NamedModel model, OpenNamed(argument, options, weights));
    if (std::ranges::count(models, model.name, &NamedModel::name) > 0) {
      return absl::InvalidArgumentError(
          fmt::format("two models are named {}; write --model NAME=FOLDER", model.name));
    }
    models.push_back(std::move(model));
  }
  return models;
}
