#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>

#include "bench/bench.h"
#include "bench/families/work.h"
#include "bench/length_distribution.h"
#include "bench/reference_check.h"
#include "bench_target.h"
#include "common/status.h"
#include "text/tokenizer.h"

/// What is measured, with which inputs, and what is reported: flags that the loads of `parterre
/// bench` share. Names are the flags' names; the defaults stand here and are what --help shows.
struct BenchLoadOptions {
  BenchTargetOptions target;
  int vocabulary = 30'000;     ///< Random ids are below this.
  std::string tokenizer;       ///< That counts the tokens of texts; empty: words are counted.
  std::string length_file;     ///< That lengths are drawn from, in place of those of the suite.
  uint64_t seed = 1;           ///< Of the inputs.
  std::string reference;       ///< Vectors that the target must agree with before it is timed.
  double peak_tflops = 0;      ///< Of the machine: shares of it are shown; 0: none.
  std::string roofline_model;  ///< Folder that FLOPs are counted by; empty: the --model.
  std::string json;            ///< File that the report is written to as well.
};

/// A load's target with all that suites need, and the report's beginning. One thread.
class BenchLoad {
 public:
  /// Unavailable if no Tulip serves at a grpc:// URL; other errors name a flag, a file, or what of
  /// the model cannot be served.
  static absl::StatusOr<std::unique_ptr<BenchLoad>> Prepare(const BenchLoadOptions& options);

  /// For as long as this lives.
  bench::Bench bench() const;
  bool takes_text() const { return target_->takes_text(); }

  /// Compares with the reference, if there is one, and says so.
  absl::Status CheckReference(std::ostream& out);

  /// The report (bench/report.h) but for its suites.
  const nlohmann::json& report() const { return report_; }

 private:
  BenchLoad() = default;

  absl::Status PrepareRoofline(const BenchLoadOptions& options);

  BenchLoadOptions options_;
  std::unique_ptr<text::Tokenizer> tokenizer_;
  std::optional<bench::LengthDistribution> lengths_;
  std::optional<bench::ReferenceVectors> reference_;
  std::unique_ptr<bench::WorkCounter> work_;
  std::unique_ptr<BenchTarget> target_;
  nlohmann::json report_;
};
