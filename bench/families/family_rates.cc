// How fast each family of models runs on this processor: configs with random weights, in process.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/families/family_report.h"
#include "bench/families/machine.h"
#include "bench/families/machine_rate.h"
#include "bench/families/profile.h"
#include "bench/kernels/onednn_matmul.h"
#include "hub/model_folder.h"
#include "rose/runtime/engine.h"

namespace bench {
namespace {

constexpr uint64_t kSeed = 1;

struct Options {
  std::vector<std::string> folders;
  std::vector<std::string> shapes = {"1x128", "32x128"};
  std::string dtype = "auto";
  std::string isa = "auto";
  int workers = 0;
  double seconds = 4;
  std::string json;
};

rose::DType DTypeOf(const rose::EngineInfo& info) {
  return info.dtype == rose::DTypeName(rose::DType::kBFloat16) ? rose::DType::kBFloat16
                                                               : rose::DType::kFloat32;
}

/// Measures models one after the other, each with nothing else loaded.
class Bench {
 public:
  Bench(Options options, std::vector<Shape> shapes, rose::cpu::Isa isa)
      : options_(std::move(options)), shapes_(std::move(shapes)), isa_(isa) {
    conditions_.processor = ProcessorName();
    conditions_.workers = options_.workers;
  }

  absl::Status Measure(const std::string& path) {
    ASSIGN_OR_RETURN(const hub::ModelFolder folder, hub::Open(path, {.weights_required = false}));
    fmt::print(stderr, "{}\n", folder.name);
    const std::size_t first = rows_.size();
    RETURN_IF_ERROR(MeasureSteps(folder));
    ASSIGN_OR_RETURN(const auto profile, Profile::Create(folder, isa_, dtype_));
    for (std::size_t i = first; i < rows_.size(); ++i) {
      rows_[i].parts = profile->Measure(rows_[i].shape);
    }
    return absl::OkStatus();
  }

  const std::vector<FamilyRow>& rows() const { return rows_; }
  Conditions conditions() const {
    Conditions conditions = conditions_;
    conditions.others_share = others_.share();
    return conditions;
  }

 private:
  absl::Status MeasureSteps(const hub::ModelFolder& folder) {
    ASSIGN_OR_RETURN(const auto engine, rose::Engine::Create(folder, {.device = "cpu",
                                                                      .dtype = options_.dtype,
                                                                      .isa = options_.isa,
                                                                      .random_weights_seed = kSeed,
                                                                      .workers = options_.workers,
                                                                      .measure_curve = false}));
    dtype_ = DTypeOf(engine->info());
    conditions_.dtype = engine->info().dtype;
    conditions_.isa = engine->info().isa;
    conditions_.machine_gflops =
        std::max(conditions_.machine_gflops, MachineRate(dtype_, options_.workers));
    ASSIGN_OR_RETURN(const auto counter, WorkCounter::Create(folder));
    for (const Shape& shape : shapes_) {
      const FilledBatch batch(shape, engine->info().vocabulary_size);
      rows_.push_back({.model = folder.name,
                       .family = folder.model_type,
                       .shape = shape,
                       .work = counter->Count(batch.cu_seqlens()),
                       .step = TimeSteps(*engine, shape, options_.seconds),
                       .parts = {}});
    }
    return absl::OkStatus();
  }

  Options options_;
  std::vector<Shape> shapes_;
  rose::cpu::Isa isa_;
  rose::DType dtype_ = rose::DType::kFloat32;
  OthersShare others_;
  Conditions conditions_;
  std::vector<FamilyRow> rows_;
};

absl::Status Run(Options options) {
  spdlog::set_level(spdlog::level::warn);
  if (options.workers == 0) {
    options.workers = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
  }
  ASSIGN_OR_RETURN(const rose::cpu::Isa processor, rose::cpu::DetectIsa());
  ASSIGN_OR_RETURN(const rose::cpu::Isa isa, rose::cpu::ParseIsa(options.isa, processor));
  RETURN_IF_ERROR(OneDnnMatmul::Cap(isa, rose::DType::kFloat32));
  std::vector<Shape> shapes;
  for (const std::string& text : options.shapes) {
    ASSIGN_OR_RETURN(shapes.emplace_back(), ParseShape(text));
  }
  Bench bench(options, std::move(shapes), isa);
  for (const std::string& folder : options.folders) RETURN_IF_ERROR(bench.Measure(folder));
  fmt::print("{}", FamilyReport(bench.conditions(), bench.rows()));
  if (options.json.empty()) return absl::OkStatus();
  std::ofstream file(options.json);
  file << FamilyReportJson(bench.conditions(), bench.rows()).dump(1) << "\n";
  file.close();
  return file ? absl::OkStatus()
              : absl::UnavailableError(fmt::format("--json {}: cannot be written", options.json));
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app{"Speed of model families with random weights"};
  app.add_option("folders", options.folders, "model folders; config.json and modules.json will do")
      ->required();
  app.add_option("--shape", options.shapes, "SEQUENCESxTOKENS, several times")
      ->capture_default_str();
  app.add_option("--dtype", options.dtype, "auto, float32 or bfloat16");
  app.add_option("--isa", options.isa, "auto, avx2, avx512, avx512_bf16 or amx");
  app.add_option("--workers", options.workers, "threads; 0: one for each core");
  app.add_option("--seconds", options.seconds, "for the steps of a model at a shape")
      ->capture_default_str();
  app.add_option("--json", options.json, "write all figures to this file");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = bench::Run(std::move(options));
  if (status.ok()) return 0;
  fmt::print(stderr, "family_rates: {}\n", std::string(status.message()));
  return 1;
}
