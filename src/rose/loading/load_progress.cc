#include "rose/loading/load_progress.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

namespace rose {
namespace {

constexpr std::chrono::seconds kInterval{2};
constexpr double kGigabyte = 1e9;

}  // namespace

LoadProgress::LoadProgress(int64_t total_bytes, const common::Clock& clock)
    : clock_(clock), total_bytes_(total_bytes), start_(clock.Now()), told_(start_) {}

void LoadProgress::Add(int64_t tensors, int64_t bytes) {
  tensors_ += tensors;
  bytes_ += bytes;
  if (clock_.Now() - told_ < kInterval) return;
  told_ = clock_.Now();
  spdlog::info("reading weights: {}", Text());
}

void LoadProgress::Finish() const { spdlog::info("read weights: {}", Text()); }

std::string LoadProgress::Text() const {
  const double gigabytes = static_cast<double>(bytes_) / kGigabyte;
  const double seconds = std::chrono::duration<double>(clock_.Now() - start_).count();
  const std::string total =
      total_bytes_ == 0 ? ""
                        : fmt::format(" of {:.2f}", static_cast<double>(total_bytes_) / kGigabyte);
  return fmt::format("{:.2f}{} GB, {} tensors, {:.2f} GB/s", gigabytes, total, tensors_,
                     gigabytes / std::max(seconds, 1e-3));
}

}  // namespace rose
