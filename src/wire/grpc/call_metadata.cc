#include "wire/grpc/call_metadata.h"

#include <algorithm>
#include <string_view>

namespace wire {
namespace {

using SystemTime = std::chrono::system_clock::time_point;

constexpr char kRequestId[] = "x-request-id";

/// gRPC aborts the program over a header with other characters.
bool IsUsable(std::string_view id) {
  return !id.empty() && id.size() <= 128 &&
         std::ranges::all_of(id, [](char c) { return c > ' ' && c < 127; });
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
  if (IsUsable(id)) context.AddMetadata(kRequestId, id);
}

std::string RequestIdOf(const grpc::CallbackServerContext& context) {
  const auto found = context.client_metadata().find(kRequestId);
  if (found == context.client_metadata().end()) return {};
  const std::string_view id(found->second.data(), found->second.size());
  return std::string(IsUsable(id) ? id : std::string_view());
}

}  // namespace wire
