#include "inspect.h"

#include "hub/model_folder.h"
#include "model_report.h"

absl::Status RunInspect(const InspectOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const hub::ModelFolder folder,
                   hub::Open(options.model, {.weights_required = false}));
  ASSIGN_OR_RETURN(const ModelReport report, ModelReport::Make(folder));
  out << (options.json ? report.Json() : report.Table());
  return absl::OkStatus();
}
