#pragma once

#include <cstdint>
#include <string>

#include "common/status.h"
#include "ivy/replica/replica.h"
#include "wire/tls_files.h"

namespace ivy {

struct GrpcReplicaOptions {
  std::string model = {};        ///< Served name; empty: the only one there.
  wire::TlsFiles tls = {};       ///< Its authority is that of the servers.
  std::string server_name = {};  ///< That their certificates must be for; empty: the one dialled.
  int64_t message_bytes_max = int64_t{256} << 20;  ///< Of a request and of an answer.
};

/// Makes replicas of proto/tulip/v1/tulip.proto, each with a channel of its own that connects again
/// by itself. A replica that answers what is no answer is Unavailable. A request whose token is
/// cancelled is cancelled there too. The destructor of a replica cancels what is under way and
/// waits until it has been told; not from a callback. InvalidArgument names a TLS file.
absl::StatusOr<ReplicaFactory> MakeGrpcReplicaFactory(const GrpcReplicaOptions& options);

}  // namespace ivy
