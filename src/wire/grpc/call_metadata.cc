#include "wire/grpc/call_metadata.h"

#include <algorithm>
#include <string_view>

#include "wire/request_id.h"

namespace wire {
namespace {

using SystemTime = std::chrono::system_clock::time_point;

constexpr char kRequestId[] = "x-request-id";
constexpr char kTraceParent[] = "traceparent";
constexpr char kTraceState[] = "tracestate";

/// Of several headers of one name the values, joined by commas; no value of the others is one.
std::string Joined(const grpc::CallbackServerContext& context, const char* name) {
  std::string joined;
  const auto [begin, end] = context.client_metadata().equal_range(name);
  for (auto header = begin; header != end; ++header) {
    if (header != begin) joined += ',';
    joined.append(header->second.data(), header->second.size());
  }
  return joined;
}

/// The same moment of another clock, of which the largest value stays that; now, if it has passed.
template <typename To, typename From>
To Convert(From deadline, To to_now, From from_now) {
  if (deadline <= from_now) return to_now;
  if (deadline == From::max()) return To::max();
  const typename To::duration left = deadline - from_now;
  return to_now + std::min(left, To::max() - to_now);
}

}  // namespace

common::TimePoint ToSteady(SystemTime deadline) {
  return Convert(deadline, common::Clock::Steady().Now(), std::chrono::system_clock::now());
}

SystemTime ToSystem(common::TimePoint deadline) {
  return Convert(deadline, std::chrono::system_clock::now(), common::Clock::Steady().Now());
}

void SendRequestId(const std::string& id, grpc::ClientContext& context) {
  if (IsRequestId(id)) context.AddMetadata(kRequestId, id);
}

std::string RequestIdOf(const grpc::CallbackServerContext& context) {
  const auto found = context.client_metadata().find(kRequestId);
  if (found == context.client_metadata().end()) return {};
  const std::string_view id(found->second.data(), found->second.size());
  return std::string(IsRequestId(id) ? id : std::string_view());
}

void SendTrace(const common::TraceContext& trace, grpc::ClientContext& context) {
  if (!trace.valid()) return;
  context.AddMetadata(kTraceParent, common::TraceParent(trace));
  if (!trace.state.empty()) context.AddMetadata(kTraceState, trace.state);
}

common::TraceContext TraceOf(const grpc::CallbackServerContext& context) {
  return common::ReadTraceContext(Joined(context, kTraceParent), Joined(context, kTraceState));
}

}  // namespace wire
