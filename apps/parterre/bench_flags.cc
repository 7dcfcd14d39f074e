#include <string>
#include <utility>
#include <vector>

#include "flag_kinds.h"
#include "flags.h"
#include "serving_flags.h"

namespace {

constexpr double kSecondsMax = 3600;

template <typename Number>
void AddList(CLI::App& app, const std::string& name, std::vector<Number>& values, Number least,
             Number most, const std::string& unit, const std::string& help) {
  app.add_option(name, values, help)
      ->delimiter(',')
      ->check(RealRange(static_cast<double>(least), static_cast<double>(most)))
      ->type_name(unit + ",…");
}

void AddInput(CLI::App& app, bench::InputKind& input) {
  const auto set = [&input](const std::string& text) {
    input = text == "ids" ? bench::InputKind::kIds : bench::InputKind::kText;
  };
  app.add_option_function<std::string>("--input", set, "Token ids or texts")
      ->check(CLI::IsMember({"ids", "text"}))
      ->default_str(input == bench::InputKind::kIds ? "ids" : "text");
}

void AddModelName(CLI::App& app, std::string& name) {
  app.add_option("--model-name", name, "\"model\" of the requests; default: none is sent")
      ->type_name("NAME");
}

/// What every load and its report begin and end with.
void AddReportFlags(CLI::App& app, uint64_t& seed, std::string& json) {
  AddNumber(app, "--seed", seed, 0, "SEED", "Of the inputs");
  app.add_option("--json", json, "File that the results are written to as well")->type_name("FILE");
}

CLI::Option* AsSeconds(CLI::Option* option, double least) {
  return option->check(RealRange(least, kSecondsMax))->type_name("SECONDS");
}

constexpr char kRequestsHelp[] = "Most that are measured of a row; 0: as many as in --seconds";
constexpr char kSecondsHelp[] = "How long a row is measured at most; 0: --requests";

void AddTargetFlags(CLI::App& app, BenchTargetOptions& o) {
  app.add_option("--url", o.url,
                 "A running server: http://HOST:PORT, or grpc://HOST:PORT of a Tulip, which takes "
                 "ids only; or --model: one inside this process")
      ->type_name("URL");
  app.add_flag("--engine", o.engine, "With --model: its worker alone, without HTTP; ids only");
  AddModelName(app, o.model_name);
  app.add_option("--metrics-url", o.metrics_url,
                 "Where the workers count (a Tulip's --admin-port); default: --url")
      ->delimiter(',')
      ->type_name("URL,…");
  // The server inside this process: it listens where nobody else asks it.
  AddModelFlags(app, o.serve.models);
  AddTextFlags(app, o.serve.text);
  AddDeviceFlags(app, o.serve.devices);
  AddGatewayFlags(app, o.serve.gateway);
  AddLogFlags(app, o.serve.log);
}

void AddLoadFlags(CLI::App& app, BenchLoadOptions& o) {
  AddNumber(app, "--vocabulary", o.vocabulary, 1, "IDS", "Random ids are below this");
  app.add_option("--tokenizer", o.tokenizer,
                 "tokenizer.json, or its folder: texts have exactly so many of its tokens; without "
                 "it so many words")
      ->type_name("FILE");
  app.add_option("--length-file", o.length_file,
                 "Lines \"TOKENS WEIGHT\" that lengths are drawn from, in place of those given")
      ->type_name("FILE");
  app.add_option("--reference", o.reference,
                 "Vectors of scripts/reference_vectors.py, which the target must agree with first")
      ->type_name("FILE");
  app.add_option("--peak-tflops", o.peak_tflops,
                 "What the machine computes at most: its share is shown; 0: not shown")
      ->check(RealRange(0, 1e6))
      ->type_name("TFLOP/S");
  app.add_option("--roofline-model", o.roofline_model,
                 "Folder by whose config FLOPs are counted; default: --model")
      ->needs("--peak-tflops")
      ->type_name("MODEL");
  AddReportFlags(app, o.seed, o.json);
  AddTargetFlags(app, o.target);
}

}  // namespace

void AddBenchFlags(CLI::App& app, BenchOptions& options) {
  bench::Suite& suite = options.suites.front();
  AddInput(app, suite.input);
  AddList(app, "--batch", suite.batches, 1, 1 << 20, "INPUTS", "Inputs of one request");
  AddList(app, "--lengths", suite.lengths, 1, 1 << 20, "TOKENS",
          "Tokens of an input; of texts without --tokenizer words");
  AddList(app, "--connections", suite.clients, 1, 1 << 14, "CLIENTS", "Clients at once");
  AddNumber(app, "--requests", suite.requests, 0, "REQUESTS", kRequestsHelp);
  AsSeconds(app.add_option("--seconds", suite.seconds, kSecondsHelp), 0);
  AddNumber(app, "--warmup", suite.warmup, 1, "REQUESTS",
            "Requests of each client before the clock starts");
  AddLoadFlags(app, options.load);
}

void AddSuitesBenchFlags(CLI::App& app, BenchOptions& options) {
  std::vector<bench::Suite>& suites = options.suites;
  const auto set_requests = [&suites](const int64_t& requests) {
    for (bench::Suite& suite : suites) suite.requests = requests;
  };
  app.add_option_function<int64_t>("--requests", set_requests, kRequestsHelp)
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40))
      ->type_name("REQUESTS")
      ->default_str("each suite's");
  const auto set_seconds = [&suites](const double& seconds) {
    for (bench::Suite& suite : suites) suite.seconds = seconds;
  };
  AsSeconds(app.add_option_function<double>("--seconds", set_seconds, kSecondsHelp), 0)
      ->default_str("each suite's");
  const auto leave_out = [&suites](const int& longest) {
    for (bench::Suite& suite : suites) {
      std::erase_if(suite.lengths, [&](int length) { return length > longest; });
    }
    std::erase_if(suites, [](const bench::Suite& suite) { return suite.lengths.empty(); });
  };
  app.add_option_function<int>("--longest", leave_out, "Rows of longer inputs are left out")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("TOKENS");
  AddLoadFlags(app, options.load);
}

void AddOpenBenchFlags(CLI::App& app, OpenBenchOptions& options) {
  bench::OpenSuite& suite = options.suite;
  AddList(app, "--rates", suite.rates, 1e-3, 1e6, "PER_S",
          "Requests that arrive in a second, in the mean of a Poisson process");
  AsSeconds(app.add_option("--seconds", suite.seconds, "Of arrivals at each rate"), 0.01);
  AddNumber(app, "--connections", suite.connections, 1, "CLIENTS",
            "Most requests under way; what arrives beyond them waits");
  AddInput(app, suite.input);
  AddNumber(app, "--batch", suite.batch, 1, "INPUTS", "Inputs of one request");
  AddNumber(app, "--length", suite.length, 1, "TOKENS",
            "Tokens of an input; of texts without --tokenizer words");
  AddLoadFlags(app, options.load);
}

void AddBesideBenchFlags(CLI::App& app, BesideBenchOptions& options) {
  app.add_option("--url", options.url, "A running Parterre")->type_name("URL");
  AddModelName(app, options.model_name);
  AddNumber(app, "--query-length", options.query_length, 1, "TOKENS", "Token ids of a query");
  AddNumber(app, "--clients", options.clients, 1, "CLIENTS", "That send bulk");
  AddNumber(app, "--batch", options.batch, 1, "INPUTS", "Inputs of a request of bulk");
  AddNumber(app, "--length", options.length, 1, "TOKENS", "Token ids of an input of bulk");
  AsSeconds(app.add_option("--seconds", options.seconds, "Of each phase: queries, bulk, both"),
            0.1);
  AddReportFlags(app, options.seed, options.json);
}

void AddTokenizerBenchFlags(CLI::App& app, TokenizerBenchOptions& options) {
  bench::TokenizerSuite& suite = options.suite;
  app.add_option("--tokenizer,--model", suite.tokenizer, "A tokenizer.json, or its folder")
      ->required()
      ->type_name("FILE");
  app.add_option("--texts", suite.texts, "Texts: a u32 count, then u32 length and bytes of each")
      ->required()
      ->type_name("FILE");
  app.add_option("--warm-up", suite.warm_up, "Other texts, of which 40 are encoded first")
      ->type_name("FILE");
  AsSeconds(app.add_option("--seconds", suite.seconds, "How long to measure texts already seen"),
            0);
  app.add_option("--threads", options.threads,
                 "Also encode all texts together with so many threads; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->type_name("THREADS");
}
