#include "bench/overhead/overhead_report.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "bench/latency.h"

namespace bench {
namespace {

/// What lies between a mark and the one passed before it.
constexpr std::array<const char*, kMarks> kStages = {
    "",
    "HTTP there: wake Ivy, read, parse, tokenize",
    "gRPC there: convert, send, wake Tulip, receive",
    "check, queue, wake the engine thread, pack",
    "wake the completion thread",
    "rows onto the request",
    "gRPC back: convert, send, wake Ivy, receive",
    "HTTP back: render, write, wake the client",
};

/// The mark before `mark` that the path's requests passed.
std::optional<Mark> PassedBefore(const PathTimes& path, Mark mark) {
  const Passage& passage = path.passages.front();
  for (int i = static_cast<int>(mark) - 1; i >= static_cast<int>(path.first); --i) {
    if (Passed(passage, static_cast<Mark>(i))) return static_cast<Mark>(i);
  }
  return std::nullopt;
}

std::string StageCell(const PathTimes& path, Mark mark) {
  const std::optional<Mark> before = PassedBefore(path, mark);
  if (!before || mark > path.last || !Passed(path.passages.front(), mark)) return "";
  return fmt::format("{:.1f}", TimesBetween(path.passages, *before, mark).p50);
}

}  // namespace

Microseconds TimesBetween(const std::vector<Passage>& passages, Mark from, Mark to) {
  std::vector<common::Duration> times;
  times.reserve(passages.size());
  for (const Passage& passage : passages) times.push_back(At(passage, to) - At(passage, from));
  const LatencySummary summary = Summarize(std::move(times));
  return {.p50 = summary.p50_ms * 1e3, .p90 = summary.p90_ms * 1e3, .p99 = summary.p99_ms * 1e3};
}

std::string TotalsTable(const std::vector<PathTimes>& paths) {
  std::string table = "| way | p50 µs | p90 µs | p99 µs |\n| --- | --- | --- | --- |\n";
  for (const PathTimes& path : paths) {
    const Microseconds times = TimesBetween(path.passages, path.first, path.last);
    table += fmt::format("| {} | {:.1f} | {:.1f} | {:.1f} |\n", path.name, times.p50, times.p90,
                         times.p99);
  }
  return table;
}

std::string StagesTable(const std::vector<PathTimes>& paths) {
  std::string head = "| p50 µs |", rule = "| --- |";
  for (const PathTimes& path : paths) {
    head += fmt::format(" {} |", path.name);
    rule += " --- |";
  }
  std::string table = head + "\n" + rule + "\n";
  for (std::size_t i = 1; i < kMarks; ++i) {
    table += fmt::format("| {} |", kStages[i]);
    for (const PathTimes& path : paths) {
      table += fmt::format(" {} |", StageCell(path, static_cast<Mark>(i)));
    }
    table += "\n";
  }
  return table;
}

}  // namespace bench
