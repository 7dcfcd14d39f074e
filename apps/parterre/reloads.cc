#include "reloads.h"

#include <utility>

#include "common/log.h"

void Reloads::Add(const std::string& name, const std::string& label,
                  std::function<absl::Status()> read) {
  const auto count = [&](const char* outcome) -> prometheus::Counter& {
    return metrics_.Counter("parterre_reloads_total",
                            "Times that SIGHUP had keys or certificates read again.",
                            {{"part", label}, {"outcome", outcome}});
  };
  parts_.push_back(
      {.name = name, .read = std::move(read), .done = count("done"), .failed = count("failed")});
}

void Reloads::Run() {
  if (parts_.empty()) spdlog::info("SIGHUP: there is no file to read again");
  for (const Part& part : parts_) {
    const absl::Status status = part.read();
    if (status.ok()) {
      part.done.Increment();
      spdlog::info("SIGHUP: {}: read again", part.name);
    } else {
      part.failed.Increment();
      spdlog::error("SIGHUP: {}: {}; those in use stay", part.name,
                    std::string_view(status.message().data(), status.message().size()));
    }
  }
}
