#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/families/shape.h"
#include "bench/families/step_times.h"
#include "bench/families/timed_ops.h"
#include "bench/families/work.h"

namespace bench {

/// What all rows of a report were measured on.
struct Conditions {
  std::string processor;
  std::string isa;
  std::string dtype;
  int workers = 0;
  double machine_gflops = 0;  ///< MachineRate, the best of several times.
  double others_share = 0;    ///< Of the machine, while it was measured.
};

/// One model at one shape.
struct FamilyRow {
  std::string model;
  std::string family;
  Shape shape;
  Work work;
  StepTimes step;     ///< Of the engine, all workers.
  PartSeconds parts;  ///< Of one thread alone.
};

/// Markdown: what it was measured on, a table of speeds, a table of where the time goes.
std::string FamilyReport(const Conditions& conditions, const std::vector<FamilyRow>& rows);

nlohmann::json FamilyReportJson(const Conditions& conditions, const std::vector<FamilyRow>& rows);

}  // namespace bench
