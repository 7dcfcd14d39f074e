#pragma once

#include "common/status.h"
#include "model_workers.h"
#include "models.h"
#include "process.h"
#include "tracing.h"
#include "tulip/grpc/server.h"

/// What the flags of `parterre tulip` say: the options of its parts.
struct TulipOptions {
  ModelOptions models;
  DeviceOptions devices;
  tulip::GrpcServerOptions server;
  int admin_port = 50'052;  ///< HTTP, on the server's host; 0: any free one.
  TraceOptions trace;
  StopOptions stop;
  LogOptions log;
};

/// Serves the models over gRPC until SIGTERM or SIGINT. OK after an orderly shutdown; an error if
/// it cannot start.
absl::Status RunTulip(const TulipOptions& options);
