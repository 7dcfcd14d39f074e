#include "bench/families/family_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bench {
namespace {

struct Rates {
  double tokens_per_s = 0;      ///< Of the shortest step.
  double gflops = 0;            ///< Of the shortest step.
  double processor_gflops = 0;  ///< By the processor time that a worker's share of a step took.
  double alone_gflops = 0;      ///< Of one thread alone.
  double linear_gflops = 0;     ///< Of one thread alone, in the linear layers.
};

Rates RatesOf(const Conditions& conditions, const FamilyRow& row) {
  const double gflop = row.work.flops() * 1e-9, seconds = row.step.wall.min_ms * 1e-3;
  const double linear_seconds = row.parts[Part::kLinear] + row.parts[Part::kLinearActivation];
  return {.tokens_per_s = static_cast<double>(row.shape.tokens()) / seconds,
          .gflops = gflop / seconds,
          .processor_gflops = gflop / (row.step.processor_ms * 1e-3) * conditions.workers,
          .alone_gflops = gflop / row.parts.sum(),
          .linear_gflops = row.work.linear_flops / linear_seconds * 1e-9};
}

std::string Percent(double rate, double of) { return fmt::format("{:.0f} %", 100 * rate / of); }

std::string SpeedLine(const Conditions& conditions, const FamilyRow& row) {
  const Rates rates = RatesOf(conditions, row);
  const double machine = conditions.machine_gflops;
  return fmt::format("| {} | {} | {:.1f} | {} | {:.0f} | {:.1f} | {:.1f} | {:.1f} | {} | {} |\n",
                     row.model, row.family, static_cast<double>(row.work.parameters) * 1e-6,
                     row.shape.name(), rates.tokens_per_s, row.step.wall.min_ms,
                     row.step.wall.p50_ms, row.work.flops() * 1e-9, Percent(rates.gflops, machine),
                     Percent(rates.processor_gflops, machine));
}

std::string PartsLine(const Conditions& conditions, const FamilyRow& row) {
  const Rates rates = RatesOf(conditions, row);
  const double thread = conditions.machine_gflops / conditions.workers;
  std::string line = fmt::format("| {} | {} | {:.1f} | {} | {} |", row.model, row.shape.name(),
                                 row.parts.sum() * 1e3, Percent(rates.alone_gflops, thread),
                                 Percent(rates.linear_gflops, thread));
  for (const Part part : kAllParts) {
    line += fmt::format(" {:.1f} |", 100 * row.parts[part] / row.parts.sum());
  }
  return line + "\n";
}

nlohmann::json RowJson(const Conditions& conditions, const FamilyRow& row) {
  const Rates rates = RatesOf(conditions, row);
  nlohmann::json parts, products;
  for (const Part part : kAllParts) parts[PartName(part)] = row.parts[part] * 1e3;
  for (const auto& [k, n, count] : row.work.products) {
    products.push_back({{"k", k}, {"n", n}, {"count", count}});
  }
  return {{"model", row.model},
          {"family", row.family},
          {"parameters", row.work.parameters},
          {"sequences", row.shape.sequences},
          {"length", row.shape.length},
          {"products", products},
          {"linear_gflop", row.work.linear_flops * 1e-9},
          {"attention_gflop", row.work.attention_flops * 1e-9},
          {"steps", row.step.wall.count},
          {"step_ms",
           {{"min", row.step.wall.min_ms},
            {"p50", row.step.wall.p50_ms},
            {"processor", row.step.processor_ms}}},
          {"tokens_per_s", rates.tokens_per_s},
          {"gflops",
           {{"step", rates.gflops},
            {"step_by_processor_time", rates.processor_gflops},
            {"thread", rates.alone_gflops},
            {"thread_linear", rates.linear_gflops}}},
          {"thread_parts_ms", parts}};
}

}  // namespace

std::string FamilyReport(const Conditions& conditions, const std::vector<FamilyRow>& rows) {
  std::string report = fmt::format(
      "{}, {}, {}, {} workers. oneDNN's large products reach {:.0f} GFLOP/s on all of them. Other\n"
      "programs used {:.0f} % of the machine meanwhile.\n\n",
      conditions.processor, conditions.isa, conditions.dtype, conditions.workers,
      conditions.machine_gflops, 100 * conditions.others_share);
  report +=
      "| model | family | parameters, 10⁶ | shape | tokens/s | ms | median | GFLOP | "
      "of the machine's GFLOP/s | by processor time |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const FamilyRow& row : rows) report += SpeedLine(conditions, row);
  report +=
      "\nOne thread alone, in its own processor time: shares of oneDNN's rate, all in all and in "
      "the\n"
      "linear layers, and where the time goes, per cent.\n\n"
      "| model | shape | ms | of oneDNN's | linear layers: of oneDNN's |";
  for (const Part part : kAllParts) report += fmt::format(" {} |", PartName(part));
  report += "\n| --- | --- | --- | --- | --- |";
  for (std::size_t i = 0; i < kAllParts.size(); ++i) report += " --- |";
  report += "\n";
  for (const FamilyRow& row : rows) report += PartsLine(conditions, row);
  return report;
}

nlohmann::json FamilyReportJson(const Conditions& conditions, const std::vector<FamilyRow>& rows) {
  nlohmann::json report = {{"processor", conditions.processor},
                           {"isa", conditions.isa},
                           {"dtype", conditions.dtype},
                           {"workers", conditions.workers},
                           {"machine_gflops", conditions.machine_gflops},
                           {"others_share", conditions.others_share},
                           {"rows", nlohmann::json::array()}};
  for (const FamilyRow& row : rows) report["rows"].push_back(RowJson(conditions, row));
  return report;
}

}  // namespace bench
