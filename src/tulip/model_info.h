#pragma once

#include <string>

#include "rose/runtime/engine.h"
#include "wire/inference.h"

namespace tulip {

/// What a replica says of itself: the engine's words under its served name.
wire::ModelInfo DescribeReplica(const rose::EngineInfo& engine, const std::string& served_name);

}  // namespace tulip
