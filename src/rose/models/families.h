#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "common/status.h"
#include "hub/model_folder.h"
#include "rose/loading/loader.h"
#include "rose/models/encoder.h"

namespace rose {

/// Reads the keys it needs, binds the weights by their names in forward order. Errors name the key
/// or the tensor. Takes every tensor it knows; the caller asks loader.Finish() for the rest.
using LoadEncoder = absl::StatusOr<std::unique_ptr<Encoder>>(const hub::ModelFolder& folder,
                                                             Loader& loader);

/// One architecture: how config.json's model_type is spelled and who reads its weights.
struct Family {
  std::string_view model_type;
  LoadEncoder* load;
};

/// All families, one line each in families.cc.
std::span<const Family> Families();

/// InvalidArgument names config.json's model_type and the known ones.
absl::StatusOr<const Family*> FindFamily(std::string_view model_type);

LoadEncoder LoadBert, LoadDistilBert, LoadJinaV3, LoadModernBert, LoadMpnet, LoadNomicBert,
    LoadQwen3, LoadRoberta;

}  // namespace rose
