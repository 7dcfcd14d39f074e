#pragma once

namespace wire {

/// What gRPC and protobuf have to say goes into the process's log from now on, as warnings.
void RouteGrpcLog();

}  // namespace wire
