#include <cstdio>
#include <iostream>
#include <new>

#include "command_line.h"
#include "common/one_line.h"
#include "cut_files.h"
#include "standard_streams.h"

namespace {

/// Each subcommand's way to run, as an exit status.
struct Run {
  int operator()(const Exit& exit) const { return exit.status; }
  int operator()(const ServeOptions& options) const { return Report(RunServe(options)); }
  int operator()(const TulipOptions& options) const { return Report(RunTulip(options)); }
  int operator()(const IvyOptions& options) const { return Report(RunIvy(options)); }
  int operator()(const BenchOptions& options) const { return RunBench(options); }
  int operator()(const OpenBenchOptions& options) const { return RunOpenBench(options); }
  int operator()(const BesideBenchOptions& options) const { return RunBesideBench(options); }
  int operator()(const TokenizerBenchOptions& options) const { return RunTokenizerBench(options); }
  int operator()(const InspectOptions& options) const {
    return Report(RunInspect(options, std::cout));
  }
  int operator()(const TokenizeOptions& options) const {
    return Report(RunTokenize(options, std::cin, std::cout));
  }

  int operator()(const TuneOptions& options) const { return Report(RunTune(options)); }
  int operator()(const ManualOptions& options) const { return Report(RunManual(options)); }

  static int Report(const absl::Status& status) {
    if (status.ok()) return 0;
    std::cout.flush();
    std::fprintf(stderr, "parterre: %s\n", common::OneLine(std::string(status.message())).c_str());
    // A service manager starts again what failed while it served; a wrong setting stays wrong.
    return absl::IsAborted(status) ? 1 : 2;
  }
};

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  TellOfCutFiles();
  try {
    const int status = std::visit(Run(), ReadCommandLine(argc, argv));
    return status == 0 ? Run::Report(FlushOutput(std::cout)) : status;
  } catch (const std::bad_alloc&) {  // a model, or a setting, too large for this machine
    return Run::Report(absl::ResourceExhaustedError("out of memory"));
  }
}
