#include "hub/dense_module.h"

#include <fmt/format.h>

#include "hub/config.h"
#include "hub/read_config.h"
#include "hub/weight_files.h"

namespace hub {

namespace fs = std::filesystem;

absl::StatusOr<DenseModule> ReadDenseModule(const fs::path& folder, const std::string& path,
                                            bool weights_required) {
  ASSIGN_OR_RETURN(const Config config, ReadConfig(folder, path + "/config.json"));
  DenseModule module;
  module.path = path;
  ASSIGN_OR_RETURN(module.in_features, config.Int("in_features"));
  ASSIGN_OR_RETURN(module.out_features, config.Int("out_features"));
  ASSIGN_OR_RETURN(module.bias, config.Bool("bias", true));
  ASSIGN_OR_RETURN(const std::string function, config.String("activation_function"));
  const absl::StatusOr<Activation> activation = ParseActivation(function);
  if (!activation.ok()) {
    return config.Error("activation_function", std::string(activation.status().message()));
  }
  module.activation = *activation;
  ASSIGN_OR_RETURN(const std::string input,
                   config.String("module_input_name", "sentence_embedding"));
  module.of_tokens = input == "token_embeddings";
  if (!module.of_tokens && input != "sentence_embedding") {
    return config.Error(
        "module_input_name",
        fmt::format("expected sentence_embedding or token_embeddings, got {}", input));
  }
  ASSIGN_OR_RETURN(const bool residual, config.Bool("use_residual", false));
  if (residual) return config.Error("use_residual", "residual Dense modules are not supported");
  ASSIGN_OR_RETURN(module.weight_file, FindModuleWeights(folder, path, weights_required));
  return module;
}

}  // namespace hub
