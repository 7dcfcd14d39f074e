#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ivy/replica/replica.h"

namespace wire {
class ChannelTls;
}

namespace ivy {

struct GrpcReplicaOptions {
  std::string model = {};  ///< Served name; empty: the only one there.
  std::shared_ptr<const wire::ChannelTls> tls = nullptr;  ///< Null: plain text.
  std::string server_name = {};  ///< That their certificates must be for; empty: the one dialled.
  int64_t message_bytes_max = int64_t{256} << 20;  ///< Of a request and of an answer.
};

/// Makes replicas of proto/tulip/v1/tulip.proto, each with a channel of its own that connects again
/// by itself. When the TLS files are read again a second connection is made of what they hold, and
/// takes the place of the first once its Tulip serves, or the first does no more; calls under way
/// go on. A replica that answers what is no answer is Unavailable. A request whose token is
/// cancelled is cancelled there too. The destructor of a replica cancels what is under way and
/// waits until it has been told; not from a callback.
ReplicaFactory MakeGrpcReplicaFactory(const GrpcReplicaOptions& options);

}  // namespace ivy
