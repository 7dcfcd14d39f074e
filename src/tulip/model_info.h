#pragma once

#include <span>
#include <string>

#include "rose/runtime/engine.h"
#include "wire/inference.h"

namespace tulip {

/// What an engine says of itself, under the name that its model is served by.
wire::ModelInfo DescribeEngine(const rose::EngineInfo& engine, const std::string& served_name);

/// What the engines of one model, at least one, are together: devices and dtypes that differ are
/// joined by ", ", memory and engines are summed, the rest is the first one's.
wire::ModelInfo DescribeModel(std::span<const wire::ModelInfo> engines);

}  // namespace tulip
