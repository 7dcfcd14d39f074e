#pragma once

#include "common/status.h"
#include "ivy/gateway.h"
#include "model_workers.h"
#include "models.h"
#include "process.h"
#include "text_model.h"
#include "tracing.h"

/// What the flags of `parterre serve` say: the options of its parts. The defaults stand where the
/// options do, and are what --help shows.
struct ServeOptions {
  ModelOptions models;
  DeviceOptions devices;
  TextOptions text;
  ivy::GatewayOptions gateway;  ///< The chunks' window is for each device.
  ivy::ApiKeyOptions keys;
  TraceOptions trace;
  StopOptions stop;
  LogOptions log;
};

/// Serves until SIGTERM or SIGINT. OK after an orderly shutdown; an error if it cannot start.
absl::Status RunServe(const ServeOptions& options);
