#pragma once

#include <filesystem>
#include <string>

#include "common/status.h"

namespace hub {

struct FindModelOptions {
  std::string revision = "main";  ///< Branch, tag or commit of a model by id.
  bool weights = true;            ///< False: they are left out, as for tokenizing alone.
  std::string user_agent = "parterre";
};

struct FoundModel {
  std::filesystem::path path;
  std::string id;  ///< Empty: `path` is what was asked for.
};

/// What `argument` names: a folder or file as it stands, or the folder of the model of that id in
/// the cache that the Hugging Face tools share (HubSettings says where), brought there from the hub
/// as far as it is missing. Whatever is neither there nor looks like an id is returned as a path,
/// for its reader to refuse.
///
/// With HF_HUB_OFFLINE the network is not touched. Where the hub cannot be reached, a cached
/// snapshot of the revision is used, with a warning. Errors name the model and what to do:
/// NotFound, PermissionDenied (HF_TOKEN), Unavailable, DataLoss, ResourceExhausted,
/// FailedPrecondition, InvalidArgument.
absl::StatusOr<FoundModel> FindModel(const std::string& argument,
                                     const FindModelOptions& options = {});

}  // namespace hub
