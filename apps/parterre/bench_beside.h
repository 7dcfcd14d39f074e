#pragma once

#include <cstdint>
#include <string>

/// What the flags of `parterre bench beside` say.
struct BesideBenchOptions {
  std::string url = "http://127.0.0.1:8080";  ///< Of a running Parterre.
  std::string model_name;                     ///< The requests' "model"; empty: none is sent.
  int query_length = 32;                      ///< Tokens of a query.
  int clients = 4;                            ///< That send bulk.
  int batch = 100;                            ///< Inputs of one of their requests.
  int length = 512;                           ///< Tokens of one of those.
  double seconds = 20;                        ///< Of each of the three phases.
  uint64_t seed = 1;
  std::string json;  ///< File that the results are written to as well.
};

/// `parterre bench beside`: single queries beside bulk. Exit status as of RunBench.
int RunBesideBench(const BesideBenchOptions& options);
