#include "hub/download/retries.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "common/log.h"

namespace hub {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{500};
constexpr milliseconds kSlice{100};
constexpr std::chrono::seconds kAskedWaitMax{300};

}  // namespace

absl::Status Sleep(milliseconds time, const std::function<bool()>& cancelled) {
  for (; time.count() > 0; time -= kSlice) {
    if (cancelled && cancelled()) return absl::CancelledError("the download was stopped");
    std::this_thread::sleep_for(std::min(time, kSlice));
  }
  return absl::OkStatus();
}

Retries::Retries(int attempts, std::function<bool()> cancelled)
    : attempts_(attempts), cancelled_(std::move(cancelled)) {}

absl::Status Retries::Wait(const absl::Status& failure,
                           std::optional<std::chrono::seconds> retry_after) {
  if (!absl::IsUnavailable(failure) || ++failures_ >= attempts_) return failure;
  if (retry_after && *retry_after > kAskedWaitMax) return failure;
  const milliseconds wait = retry_after ? *retry_after : kFirstWait * (1 << (failures_ - 1));
  spdlog::warn("{}; trying again in {:.1f} s", std::string(failure.message()),
               static_cast<double>(wait.count()) / 1000);
  return Sleep(wait, cancelled_);
}

}  // namespace hub
