#include "bench_load.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "models.h"
#include "process.h"

namespace {

/// Behind what is wrong stands the flag that says it.
absl::Status Blame(const char* flag, const absl::Status& status) {
  return absl::Status(status.code(), fmt::format("{}: {}", flag, std::string(status.message())));
}

nlohmann::json BeginReport(const BenchLoadOptions& options) {
  nlohmann::json report = nlohmann::json::object();
  if (!options.target.model_name.empty()) report["model"] = options.target.model_name;
  if (!options.length_file.empty()) report["length_file"] = options.length_file;
  if (options.peak_tflops > 0) report["peak_tflops"] = options.peak_tflops;
  return report;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BenchLoad>> BenchLoad::Prepare(const BenchLoadOptions& options) {
  RETURN_IF_ERROR(SetUpLog(options.target.serve.log));
  std::unique_ptr<BenchLoad> load(new BenchLoad);
  load->options_ = options;
  load->report_ = BeginReport(options);
  if (!options.tokenizer.empty()) {
    auto tokenizer = text::Tokenizer::FromFileOrFolder(options.tokenizer);
    if (!tokenizer.ok()) return Blame("--tokenizer", tokenizer.status());
    load->tokenizer_ = *std::move(tokenizer);
  }
  if (!options.length_file.empty()) {
    auto lengths = bench::LengthDistribution::Read(options.length_file);
    if (!lengths.ok()) return Blame("--length-file", lengths.status());
    load->lengths_ = *std::move(lengths);
  }
  if (!options.reference.empty()) {
    auto reference = bench::ReadReferenceFile(options.reference);
    if (!reference.ok()) return Blame("--reference", reference.status());
    load->reference_ = *std::move(reference);
  }
  RETURN_IF_ERROR(load->PrepareRoofline(options));
  ASSIGN_OR_RETURN(load->target_, BenchTarget::Open(options.target));
  load->report_["target"] = load->target_->name();
  return load;
}

absl::Status BenchLoad::PrepareRoofline(const BenchLoadOptions& options) {
  if (options.peak_tflops == 0) return absl::OkStatus();
  ModelOptions models = options.target.serve.models;
  if (!options.roofline_model.empty()) models.model = {options.roofline_model};
  if (models.model.empty()) {
    return absl::InvalidArgumentError("--peak-tflops: expected --roofline-model too, or --model");
  }
  ASSIGN_OR_RETURN(const std::vector<NamedModel> opened, OpenModels(models, /*weights=*/false));
  ASSIGN_OR_RETURN(work_, bench::WorkCounter::Create(opened.front().folder));
  return absl::OkStatus();
}

bench::Bench BenchLoad::bench() const {
  bench::Bench bench = {.target = &target_->target(),
                        .workload = {.vocabulary = options_.vocabulary,
                                     .lengths = lengths_ ? &*lengths_ : nullptr,
                                     .tokenizer = tokenizer_.get()},
                        .seed = options_.seed,
                        .counters = target_->counters()};
  if (work_ == nullptr) return bench;
  bench.roofline = {.flops =
                        [work = work_.get()](int tokens) {
                          return work->Count(std::array<int32_t, 2>{0, tokens}).flops();
                        },
                    .peak_tflops = options_.peak_tflops};
  return bench;
}

absl::Status BenchLoad::CheckReference(std::ostream& out) {
  if (!reference_) return absl::OkStatus();
  ASSIGN_OR_RETURN(const double divergence, bench::CheckReference(target_->target(), *reference_));
  out << fmt::format("Agrees with {} on {} inputs: divergence at most {:.2g} (1 − cosine).\n\n",
                     options_.reference, reference_->inputs.size(), divergence)
      << std::flush;
  report_["reference"] = {{"file", options_.reference},
                          {"inputs", reference_->inputs.size()},
                          {"divergence", divergence}};
  return absl::OkStatus();
}
