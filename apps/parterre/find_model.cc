#include "find_model.h"

#include <utility>

absl::StatusOr<hub::FoundModel> FindModel(const std::string& model, const std::string& revision,
                                          bool weights) {
  return hub::FindModel(
      model,
      {.revision = revision, .weights = weights, .user_agent = "parterre/" PARTERRE_VERSION});
}

absl::StatusOr<hub::ModelFolder> OpenModel(const std::string& model, const std::string& revision,
                                           bool weights, const hub::OpenOptions& open) {
  ASSIGN_OR_RETURN(hub::FoundModel found, FindModel(model, revision, weights));
  ASSIGN_OR_RETURN(hub::ModelFolder folder, hub::Open(found.path, open));
  if (!found.id.empty()) folder.name = std::move(found.id);
  return folder;
}
