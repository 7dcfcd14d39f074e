#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/tokenizer_suite.h"
#include "serve.h"

/// What the flags of `parterre bench latency` say. Names are the flags' names; the defaults stand
/// here and are what --help shows.
struct BenchOptions {
  std::string url;     ///< http://HOST:PORT of a running server. Or:
  ServeOptions serve;  ///< with `model` set, a server inside this process, on a free port.

  std::string model_name;                 ///< The requests' "model"; empty: none is sent.
  std::string input = "ids";              ///< "ids" or "text".
  std::vector<int> lengths = {32, 128};   ///< Tokens (ids) or words (text) of one input.
  std::vector<int> connections = {1, 4};  ///< Clients; each sends its next request when answered.
  int batch = 1;                          ///< Inputs of one request.
  int vocabulary = 30'000;                ///< Random ids are below this.
  int64_t requests = 300;                 ///< Measured, for each length and number of clients.
  int warmup = 12;                        ///< Requests of each client before the clock starts.
  uint64_t seed = 1;
  std::string json;  ///< File that the results are written to as well.
};

/// Runs the suite and prints its table. Returns the process's exit status: 0; 1 if nothing answers,
/// a request failed or an answer was not what was asked for; 2 if an option is wrong or the model
/// cannot be served. The cause goes to the error stream, in one line.
int RunBench(const BenchOptions& options);

/// What the flags of `parterre bench beside` say.
struct BesideBenchOptions {
  std::string url = "http://127.0.0.1:8080";  ///< Of a running Parterre.
  std::string model_name;                     ///< As of BenchOptions.
  int query_length = 32;                      ///< Tokens of a query.
  int clients = 4;                            ///< That send bulk.
  int batch = 100;                            ///< Inputs of one of their requests.
  int length = 512;                           ///< Tokens of one of those.
  double seconds = 20;                        ///< Of each of the three phases.
  uint64_t seed = 1;
  std::string json;  ///< As of BenchOptions.
};

/// `parterre bench beside`: single queries beside bulk. Exit status as of RunBench.
int RunBesideBench(const BesideBenchOptions& options);

/// What the flags of `parterre bench tokenizer` say.
struct TokenizerBenchOptions {
  bench::TokenizerSuite suite;
  int threads = 1;  ///< 1: only one text after the other; 0: one thread for each core
};

/// `parterre bench tokenizer`: prints what tokenizing a text costs as one line of JSON, with
/// threads what they gain too. Returns the process's exit status: 0; 2 if a file cannot be read or
/// is not what it should be.
int RunTokenizerBench(const TokenizerBenchOptions& options);
