#include "hub/download/retries.h"

#include <string>
#include <thread>

#include "common/log.h"

namespace hub {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{500};
constexpr std::chrono::seconds kAskedWaitMax{300};

}  // namespace

absl::Status Retries::Wait(const absl::Status& failure,
                           std::optional<std::chrono::seconds> retry_after) {
  if (!absl::IsUnavailable(failure) || ++failures_ >= attempts_) return failure;
  if (retry_after && *retry_after > kAskedWaitMax) return failure;
  const milliseconds wait = retry_after ? *retry_after : kFirstWait * (1 << (failures_ - 1));
  spdlog::warn("{}; trying again in {:.1f} s", std::string(failure.message()),
               static_cast<double>(wait.count()) / 1000);
  std::this_thread::sleep_for(wait);
  return absl::OkStatus();
}

}  // namespace hub
