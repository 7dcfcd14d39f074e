#include "inspect.h"

#include <utility>

#include "common/log.h"
#include "find_model.h"
#include "hub/model_folder.h"
#include "model_report.h"

absl::Status RunInspect(const InspectOptions& options, std::ostream& out) {
  RETURN_IF_ERROR(common::SetUpLog(common::LogFormat::kText, "info"));
  ASSIGN_OR_RETURN(hub::FoundModel found,
                   FindModel(options.model, options.revision, !options.no_weights));
  ASSIGN_OR_RETURN(hub::ModelFolder folder,
                   hub::Open(found.path, {.weights_required = false, .keep_unsupported = true}));
  if (!found.id.empty()) folder.name = std::move(found.id);
  ASSIGN_OR_RETURN(const ModelReport report, ModelReport::Make(folder));
  out << (options.json ? report.Json() : report.Table());
  return absl::OkStatus();
}
