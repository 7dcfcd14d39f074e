#include "bench/suite_report.h"

#include <utility>

namespace bench {

SuiteReport::SuiteReport(const std::string& name, Columns columns, std::ostream& out)
    : columns_(columns), out_(out), json_({{"name", name}}) {
  out_ << "**" << name << "**\n\n" << TableHead(columns_) << std::flush;
}

void SuiteReport::Add(const Row& row) {
  out_ << TableLine(row, columns_) << std::flush;
  json_["rows"].push_back(RowJson(row));
  counter_lines_ += CounterTableLine(row);
}

nlohmann::json SuiteReport::Finish(const Row& ceiling) {
  if (!counter_lines_.empty()) {
    out_ << "\nCounted by the workers meanwhile:\n\n" << CounterTableHead() << counter_lines_;
  }
  const Columns columns = {.open = columns_.open};
  out_ << "\nThe load generator's own ceiling, with a target that does nothing:\n\n"
       << TableHead(columns) << TableLine(ceiling, columns) << '\n'
       << std::flush;
  json_["ceiling"] = RowJson(ceiling);
  return std::move(json_);
}

}  // namespace bench
