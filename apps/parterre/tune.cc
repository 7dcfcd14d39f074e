#include "tune.h"

#include "common/log.h"
#include "find_model.h"
#include "hub/model_folder.h"
#include "random_seed.h"

absl::Status RunTune(const TuneOptions& options) {
  RETURN_IF_ERROR(common::SetUpLog(common::LogFormat::kText, "info"));
  rose::EngineOptions engine = options.engine;
  ASSIGN_OR_RETURN(engine.random_weights_seed, ParseRandomSeed(options.weights));
  const bool weights_required = !engine.random_weights_seed.has_value();
  ASSIGN_OR_RETURN(const hub::ModelFolder folder,
                   OpenModel(options.model, options.revision, weights_required,
                             {.weights_required = weights_required}));
  return rose::Engine::Tune(folder, engine);
}
