#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/server_context.h>

#include <chrono>
#include <string>

#include "common/clock.h"
#include "common/trace/trace_context.h"

// What travels beside the messages of a call: its deadline, the request's id as x-request-id, and
// its trace as traceparent and tracestate.

namespace wire {

/// gRPC's deadlines are of the system's clock, ours of the steady one. The largest value means
/// none, in both.
common::TimePoint ToSteady(std::chrono::system_clock::time_point deadline);
std::chrono::system_clock::time_point ToSystem(common::TimePoint deadline);

/// Sends the id if there is one that a header can hold.
void SendRequestId(const std::string& id, grpc::ClientContext& context);
/// What was sent, if it is 1 to 128 visible ASCII characters; else empty.
std::string RequestIdOf(const grpc::CallbackServerContext& context);

/// Sends the trace if the context is of one.
void SendTrace(const common::TraceContext& trace, grpc::ClientContext& context);
/// What was sent, as ReadTraceContext takes it; of no trace if the call has several.
common::TraceContext TraceOf(const grpc::CallbackServerContext& context);

}  // namespace wire
