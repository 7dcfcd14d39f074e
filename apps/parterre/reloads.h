#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/metrics.h"
#include "common/status.h"

/// What SIGHUP has read anew, part by part: one that cannot be read stays as it is, whatever
/// becomes of the others. The log and parterre_reloads_total tell of each. One thread.
class Reloads {
 public:
  /// `metrics` outlives it.
  explicit Reloads(common::Metrics& metrics) : metrics_(metrics) {}

  /// `name`: in the log; `label`: in metrics. `read` takes in what is there now, or says why it
  /// cannot.
  void Add(const std::string& name, const std::string& label, std::function<absl::Status()> read);
  void Run();

 private:
  struct Part {
    std::string name;
    std::function<absl::Status()> read;
    prometheus::Counter& done;
    prometheus::Counter& failed;
  };

  common::Metrics& metrics_;
  std::vector<Part> parts_;
};
