#pragma once

#include <string>

#include "common/status.h"
#include "rose/runtime/engine.h"

/// What the flags of `parterre tune` say. Names are the flags' names.
struct TuneOptions {
  std::string model;              ///< A model folder or hub id.
  std::string revision = "main";  ///< Of a model by id.
  std::string weights = "file";
  rose::EngineOptions engine;
};

/// `parterre tune`: times kernel choices for a model on a device, in whole steps, and stores the
/// winners where `serve` finds them. Takes the device for itself for a minute or so.
absl::Status RunTune(const TuneOptions& options);
