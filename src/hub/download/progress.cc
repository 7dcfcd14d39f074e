#include "hub/download/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "common/log.h"

namespace hub {
namespace {

constexpr std::chrono::milliseconds kDrawEvery{200};
constexpr std::chrono::seconds kLogEvery{10};
constexpr int kBarWidth = 24;
constexpr char kClearLine[] = "\r\033[K";

double Megabytes(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

}  // namespace

Progress::Progress(bool bar) : bar_(bar) {}

void Progress::Begin(std::string name, int64_t bytes_there, std::optional<int64_t> bytes_all) {
  name_ = std::move(name);
  bytes_all_ = bytes_all;
  bytes_there_ = bytes_ = bytes_there;
  began_ = common::Clock::Steady().Now();
  due_ = began_ + (bar_ ? common::Duration(kDrawEvery) : common::Duration(kLogEvery));
}

void Progress::Update(int64_t bytes) {
  bytes_ = bytes;
  const common::TimePoint now = common::Clock::Steady().Now();
  if (now < due_) return;
  if (bar_) {
    const std::string line = fmt::format("{}{} {}", kClearLine, Bar(), Line(now));
    std::fputs(line.c_str(), stderr);
    drawn_ = true;
    due_ = now + kDrawEvery;
  } else {
    spdlog::info("downloading {}", Line(now));
    due_ = now + kLogEvery;
  }
}

void Progress::End() {
  if (std::exchange(drawn_, false)) std::fputs(kClearLine, stderr);
}

std::string Progress::Line(common::TimePoint now) const {
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const double rate = Megabytes(bytes_ - bytes_there_) / std::max(seconds, 1e-3);
  if (!bytes_all_) return fmt::format("{} {:.1f} MB, {:.1f} MB/s", name_, Megabytes(bytes_), rate);
  return fmt::format("{} {:.1f} of {:.1f} MB, {:.1f} MB/s", name_, Megabytes(bytes_),
                     Megabytes(*bytes_all_), rate);
}

std::string Progress::Bar() const {
  if (bytes_all_.value_or(0) <= 0) return "";
  const double share = static_cast<double>(bytes_) / static_cast<double>(*bytes_all_);
  const int full = static_cast<int>(kBarWidth * std::clamp(share, 0.0, 1.0));
  return fmt::format("[{:=<{}}{:{}}]", "", full, "", kBarWidth - full);
}

}  // namespace hub
