#include "inspect.h"

#include "common/log.h"
#include "find_model.h"
#include "hub/model_folder.h"
#include "model_report.h"

absl::Status RunInspect(const InspectOptions& options, std::ostream& out) {
  RETURN_IF_ERROR(common::SetUpLog(common::LogFormat::kText, "info"));
  ASSIGN_OR_RETURN(const hub::ModelFolder folder,
                   OpenModel(options.model, options.revision, !options.no_weights,
                             {.weights_required = false, .keep_unsupported = true}));
  ASSIGN_OR_RETURN(const ModelReport report, ModelReport::Make(folder));
  out << (options.json ? report.Json() : report.Table());
  return absl::OkStatus();
}
