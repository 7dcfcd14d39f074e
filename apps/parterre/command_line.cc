#include "command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "build_info.h"
#include "common/one_line.h"
#include "flag_sources.h"
#include "flags.h"
#include "serving_flags.h"

namespace {

constexpr char kDefaultConfig[] = "parterre.toml";

Command Mistake(std::string_view message) {
  std::fprintf(stderr, "parterre: %s\n", common::OneLine(message).c_str());
  return Exit{.status = 2};
}

/// What no flag or argument takes. A flag that there is not may be a misspelt one whose value is
/// secret, so what follows it is not repeated.
std::string NotExpected(const std::vector<std::string>& words) {
  std::string told;
  bool value = false;
  for (const std::string& word : words) {
    const bool flag = word.starts_with('-');
    if (flag || !value) told += " " + word.substr(0, flag ? word.find('=') : word.size());
    value |= flag;
  }
  return "not expected:" + told;
}

/// The whole command line: every subcommand with its flags and the options they fill.
class Parser {
 public:
  Parser();
  Command Parse(int argc, const char* const* argv);

 private:
  CLI::App* Add(CLI::App& parent, const std::string& name, const std::string& help);
  void AddBenches(CLI::App& bench);
  BenchOptions& AddBench(CLI::App& bench, const std::string& name, const std::string& help);
  /// Makes MODEL what --model says, unless that says something else.
  absl::Status TakeModelArgument(CLI::App& command) const;
  absl::Status ReadConfig(CLI::App& command);
  /// The options of a command that serves, once the config file has had its say.
  template <typename Options>
  Command Finish(CLI::App& command, const Options& options);

  ServeOptions serve_;
  TulipOptions tulip_;
  IvyOptions ivy_;
  InspectOptions inspect_;
  TokenizeOptions tokenize_;
  TuneOptions tune_;
  std::deque<std::pair<CLI::App*, BenchOptions>> benches_;  ///< Flags point into it.
  OpenBenchOptions open_bench_;
  BesideBenchOptions beside_bench_;
  TokenizerBenchOptions tokenizer_bench_;
  ManualOptions manual_;
  std::string model_argument_;
  std::string config_;
  CLI::App app_{"Serves embeddings and reranking over HTTP", "parterre"};
  CLI::App* serve_command_;
  CLI::App* tulip_command_;
  CLI::App* ivy_command_;
  CLI::App* inspect_command_;
  CLI::App* tokenize_command_;
  CLI::App* tune_command_;
  CLI::App* open_bench_command_;
  CLI::App* beside_bench_command_;
  CLI::App* tokenizer_bench_command_;
  CLI::App* manual_command_;
};

Parser::Parser() {
  app_.set_version_flag("--version", VersionText());
  app_.require_subcommand(1);
  serve_command_ = Add(app_, "serve", "Serve a model over HTTP from this process");
  tulip_command_ = Add(app_, "tulip", "Compute for gateways, over gRPC");
  ivy_command_ = Add(app_, "ivy", "Serve a model over HTTP that Tulips elsewhere compute");
  inspect_command_ = Add(app_, "inspect", "Say what a model folder is and how it would run");
  tokenize_command_ = Add(app_, "tokenize", "Print the token ids of texts");
  tune_command_ = Add(app_, "tune", "Time kernel choices for a model on a GPU and keep the best");
  CLI::App* bench = app_.add_subcommand("bench", "Measure a server, or its tokenizer");
  bench->require_subcommand(1);
  AddBenches(*bench);
  manual_command_ = Add(app_, "manual", "Write manual pages and what completes in shells");

  AddServeFlags(*serve_command_, serve_);
  AddTulipFlags(*tulip_command_, tulip_);
  AddIvyFlags(*ivy_command_, ivy_);
  for (CLI::App* command : {serve_command_, tulip_command_, ivy_command_}) {
    command->add_option("--config", config_, "File of flags (default: parterre.toml if there)")
        ->type_name("FILE");
    AddModelArgument(*command, model_argument_);
    NameEnvironment(*command);
  }
  AddInspectFlags(*inspect_command_, inspect_);
  AddTokenizeFlags(*tokenize_command_, tokenize_);
  AddTuneFlags(*tune_command_, tune_);
  AddManualFlags(*manual_command_, manual_);
  RefuseEmptyValues(app_);
}

void Parser::AddBenches(CLI::App& bench) {
  const std::vector<std::pair<bench::Suite, std::string>> suites = {
      {bench::LatencySuite(), "What an answer costs: one input, one client"},
      {bench::ScoringSuite(), "What a query's candidates cost: some inputs at once, one client"},
      {bench::ThroughputSuite(), "What bulk comes to: 100 inputs at once, four clients"},
      {bench::ConcurrencySuite(), "What clients with a text each do to each other"}};
  BenchOptions& all = AddBench(bench, "suites", "The next four, in one report");
  for (const auto& [suite, help] : suites) {
    all.suites.push_back(suite);
    BenchOptions& options = AddBench(bench, suite.name, help);
    options.suites = {suite};
    AddBenchFlags(*benches_.back().first, options);
  }
  AddSuitesBenchFlags(*benches_.front().first, all);
  open_bench_command_ = Add(bench, "open", "Latencies of requests that arrive on a schedule");
  AddOpenBenchFlags(*open_bench_command_, open_bench_);
  beside_bench_command_ = Add(bench, "beside", "What bulk does to single queries, and they to it");
  AddBesideBenchFlags(*beside_bench_command_, beside_bench_);
  tokenizer_bench_command_ = Add(bench, "tokenizer", "What tokenizing a text costs");
  AddTokenizerBenchFlags(*tokenizer_bench_command_, tokenizer_bench_);
}

BenchOptions& Parser::AddBench(CLI::App& bench, const std::string& name, const std::string& help) {
  auto& [command, options] = benches_.emplace_back();
  command = Add(bench, name, help);
  return options;
}

CLI::App* Parser::Add(CLI::App& parent, const std::string& name, const std::string& help) {
  CLI::App* command = parent.add_subcommand(name, help);
  command->option_defaults()->always_capture_default();
  return command;
}

absl::Status Parser::TakeModelArgument(CLI::App& command) const {
  if (model_argument_.empty()) return absl::OkStatus();
  CLI::Option& flag = *command.get_option("--model");
  // An argument comes before the environment, whose value the flag may have by now.
  if (std::ranges::count(command.parse_order(), &flag) == 0) {
    flag.clear();
    flag.add_result(model_argument_);
    flag.run_callback();
  }
  if (flag.results() == std::vector{model_argument_}) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{}: expected MODEL or --model, got {} and --model {}; --model alone takes several",
      command.get_name(), model_argument_, fmt::join(flag.results(), " --model ")));
}

absl::Status Parser::ReadConfig(CLI::App& command) {
  if (config_.empty()) {
    std::error_code error;
    const std::filesystem::file_status file = std::filesystem::status(kDefaultConfig, error);
    if (file.type() == std::filesystem::file_type::not_found) return absl::OkStatus();
    config_ = kDefaultConfig;
  }
  const absl::StatusOr<ConfigFile> config = ReadConfigFile(config_);
  if (config.ok()) return ApplyConfig(*config, command);
  return absl::Status(config.status().code(),
                      fmt::format("--config: {}", std::string(config.status().message())));
}

template <typename Options>
Command Parser::Finish(CLI::App& command, const Options& options) {
  absl::Status status = TakeModelArgument(command);
  if (status.ok()) status = CheckEnvironment(command);
  if (status.ok()) status = ReadConfig(command);
  if (!status.ok()) return Mistake(std::string(status.message()));
  if (!options.models.model.empty()) return options;
  return Mistake(command.get_name() + ": MODEL is required: a model folder or hub id");
}

Command Parser::Parse(int argc, const char* const* argv) {
  try {
    app_.parse(argc, argv);
    if (inspect_command_->parsed()) return inspect_;
    if (tokenize_command_->parsed()) return tokenize_;
    if (tune_command_->parsed()) return tune_;
    for (const auto& [command, options] : benches_) {
      if (command->parsed()) return options;
    }
    if (open_bench_command_->parsed()) return open_bench_;
    if (beside_bench_command_->parsed()) return beside_bench_;
    if (tokenizer_bench_command_->parsed()) return tokenizer_bench_;
    if (manual_command_->parsed()) return ManualOptions{manual_.folder, Describe(app_)};
    if (tulip_command_->parsed()) return Finish(*tulip_command_, tulip_);
    if (ivy_command_->parsed()) return Finish(*ivy_command_, ivy_);
    return Finish(*serve_command_, serve_);
  } catch (const CLI::Success& success) {  // --help, --version
    return Exit{.status = app_.exit(success)};
  } catch (const CLI::ParseError& error) {
    // What was misspelt says more than what is missing for it.
    const std::vector<std::string> left = app_.remaining(/*recurse=*/true);
    const bool misspelt = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                          dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    return Mistake(misspelt && !left.empty() ? NotExpected(left) : error.what());
  }
}

}  // namespace

Command ReadCommandLine(int argc, const char* const* argv) { return Parser().Parse(argc, argv); }
