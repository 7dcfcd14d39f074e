#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "common/status.h"
#include "ivy/gateway.h"
#include "ivy/grpc/grpc_replica.h"
#include "ivy/replica/replica_keeper.h"
#include "models.h"
#include "process.h"
#include "text_model.h"
#include "tracing.h"
#include "wire/tls_files.h"

/// Where the Tulips are and how they are reached.
struct ReplicaOptions {
  std::vector<std::string> replica = {};  ///< HOST:PORT each. Or:
  std::string replicas = {};              ///< dns:///NAME:PORT, all addresses of the name.
  std::chrono::milliseconds chunk_timeout{10'000};
  wire::TlsFiles tls = {};            ///< Its authority is that of the Tulips.
  ivy::GrpcReplicaOptions grpc = {};  ///< Of each but its model, the servers' name and TLS.
};

/// What the flags of `parterre ivy` say: the options of its parts.
struct IvyOptions {
  ModelOptions models;
  TextOptions text;
  ReplicaOptions replicas;
  ivy::GatewayOptions gateway;
  ivy::ApiKeyOptions keys;
  TraceOptions trace;
  StopOptions stop;
  LogOptions log;
};

/// Serves until SIGTERM or SIGINT, with Tulips elsewhere that compute, once there are some. OK
/// after an orderly shutdown; an error if it cannot start.
absl::Status RunIvy(const IvyOptions& options);
