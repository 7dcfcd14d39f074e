#include "bench/families/machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <map>

namespace bench {

std::string ProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  std::map<std::string, std::string> first;  // Of several processors.
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    std::string key = line.substr(0, colon);
    key.erase(key.find_last_not_of(" \t") + 1);
    first.try_emplace(std::move(key), line.substr(colon + 2));
  }
  return fmt::format("{} (family {}, model {})", first["model name"], first["cpu family"],
                     first["model"]);
}

OthersShare::Used OthersShare::Now() {
  // user, nice, system, idle, iowait, irq, softirq, steal
  std::array<double, 8> ticks{};
  std::ifstream file("/proc/stat");
  std::string cpu;
  file >> cpu;
  for (double& tick : ticks) file >> tick;
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  Used used;
  for (const double tick : ticks) used.all += tick / ticks_per_second;
  used.busy = used.all - (ticks[3] + ticks[4]) / ticks_per_second;
  used.own = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return used;
}

double OthersShare::share() const {
  const Used now = Now();
  const double others = (now.busy - start_.busy) - (now.own - start_.own);
  return std::clamp(others / std::max(now.all - start_.all, 1e-9), 0.0, 1.0);
}

}  // namespace bench
