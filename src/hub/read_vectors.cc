#include "hub/read_vectors.h"

#include <fmt/format.h>

#include <utility>

#include "hub/file_names.h"
#include "hub/read_config.h"
#include "hub/weight_files.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

absl::Status RefusePoolingFlag(const ModelFolder& model) {
  return model.config.Error(
      "architectures",
      fmt::format("{} gives scores, not vectors ({}): --pooling does not "
                  "apply",
                  model.architectures.empty() ? model.model_type : model.architectures.front(),
                  model.task_source));
}

/// The flag, else the Pooling module's file, else the family's default.
absl::Status DecidePooling(const std::optional<Modules>& modules, std::optional<PoolingMode> flag,
                           std::optional<int64_t> hidden_size, ModelFolder& model) {
  if (modules && modules->pooling_path) {
    const std::string name = *modules->pooling_path + "/config.json";
    ASSIGN_OR_RETURN(const std::optional<Config> config, ReadConfigIfThere(model.path, name));
    if (!config && !flag) {
      return absl::NotFoundError(
          fmt::format("{}: file not found, though modules.json names its folder; --pooling chooses "
                      "a mode without it",
                      name));
    }
    if (config) {
      ASSIGN_OR_RETURN(model.pooling, ReadPooling(*config, hidden_size));
    }
    model.pooling_source = name;
  } else {
    model.pooling.modes = {DefaultPoolingMode(model.model_type)};
    model.pooling_source = fmt::format("default of {}", model.model_type);
    model.pooling_is_default = !flag;
  }
  if (!flag) return absl::OkStatus();
  model.pooling.modes = {*flag};
  model.pooling_source = "--pooling";
  return absl::OkStatus();
}

/// The Dense modules, each of which takes what the one before gives; `features`, where known, is
/// what the first one gets, and in the end what the last one gives.
absl::StatusOr<std::vector<DenseModule>> ReadDenseModules(const ModelFolder& model,
                                                          const std::optional<Modules>& modules,
                                                          bool weights_required,
                                                          std::optional<int64_t>& features) {
  std::vector<DenseModule> dense;
  if (!modules) return dense;
  for (const std::string& path : modules->dense_paths) {
    ASSIGN_OR_RETURN(DenseModule module, ReadDenseModule(model.path, path, weights_required));
    if (module.of_tokens && !model.pooling.modes.empty()) {
      return absl::InvalidArgumentError(fmt::format(
          "{}/config.json: module_input_name: expected sentence_embedding behind a Pooling module",
          path));
    }
    if (features && module.in_features != *features) {
      return absl::InvalidArgumentError(fmt::format(
          "{}/config.json: in_features: expected the {} values of what stands before it, got {}",
          path, *features, module.in_features));
    }
    features = module.out_features;
    dense.push_back(std::move(module));
  }
  return dense;
}

absl::Status FindHeads(const fs::path& folder, ModelFolder& model) {
  ASSIGN_OR_RETURN(model.sparse_head, FindSparseHead(folder, model.config));
  if (model.sparse_head) model.outputs |= Output::kSparse;
  ASSIGN_OR_RETURN(std::optional<fs::path> colbert, FindFirst(folder, kColbertHeadFiles));
  if (!colbert) return absl::OkStatus();
  model.colbert_head.emplace().file = *std::move(colbert);
  model.outputs |= Output::kColbert;
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadVectors(const fs::path& folder, const std::optional<Modules>& modules,
                         const OpenOptions& options, ModelFolder& model) {
  if (model.task != Task::kEmbedding) {
    model.outputs = Output::kScores;
    return options.pooling ? RefusePoolingFlag(model) : absl::OkStatus();
  }
  if (modules && modules->splade_path && !options.pooling) {
    ASSIGN_OR_RETURN(model.splade, ReadSplade(model.path, *modules->splade_path));
    model.outputs = Output::kSparse;
    return absl::OkStatus();
  }
  std::optional<int64_t> features = model.shape.hidden_size;
  model.outputs = Output::kTokens;
  if (modules && !modules->dense_paths.empty() && !modules->pooling_path && !options.pooling) {
    model.colbert_head.emplace();
    ASSIGN_OR_RETURN(model.colbert_head->dense,
                     ReadDenseModules(model, modules, options.weights_required, features));
    model.outputs |= Output::kColbert;
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(DecidePooling(modules, options.pooling, features, model));
  if (features) *features *= static_cast<int64_t>(model.pooling.modes.size());
  ASSIGN_OR_RETURN(model.dense,
                   ReadDenseModules(model, modules, options.weights_required, features));
  model.dimension = features;
  model.normalize = modules && modules->normalize;
  const bool is_pplx = model.model_type == "bidirectional_pplx_qwen3";
  if (is_pplx || (modules && modules->quantizer)) model.quantization = Quantization::kTanhInt8;
  model.outputs |= Output::kDense;
  return FindHeads(folder, model);
}

}  // namespace hub
