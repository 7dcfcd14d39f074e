// How fast the linear layers of model families are beside oneDNN's own product of the same shape.
#include <fmt/format.h>
#include <omp.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/families/machine.h"
#include "bench/families/work.h"
#include "bench/kernels/onednn_matmul.h"
#include "bench/kernels/timing.h"
#include "hub/model_folder.h"
#include "rose/core/arena.h"
#include "rose/core/element.h"
#include "rose/cpu/cpu_backend.h"
#include "rose/cpu/cpu_ops.h"

namespace bench {
namespace {

using rose::DType;
using rose::Tensor;

struct Options {
  std::vector<std::string> folders;
  std::vector<int64_t> rows = {128, 4096};
  std::string isa = "auto";
  bool bfloat16 = false;
};

/// Columns in and out, to the models that have such a layer.
using Shapes = std::map<std::pair<int64_t, int64_t>, std::string>;

absl::StatusOr<Shapes> ReadShapes(const std::vector<std::string>& folders) {
  Shapes shapes;
  for (const std::string& path : folders) {
    ASSIGN_OR_RETURN(const hub::ModelFolder folder, hub::Open(path, {.weights_required = false}));
    ASSIGN_OR_RETURN(const auto counter, WorkCounter::Create(folder));
    const Work work = counter->Count(std::array<int32_t, 2>{0, 1});
    for (const Product& product : work.products) {
      std::string& models = shapes[{product.k, product.n}];
      models += (models.empty() ? "" : ", ") + folder.name;
    }
  }
  return shapes;
}

/// Our Linear on the calling thread. The numbers are all ones.
class OurLinear {
 public:
  OurLinear(rose::cpu::Isa isa, DType dtype, int64_t rows, int64_t k, int64_t n)
      : backend_(isa, dtype),
        linear_(
            backend_.MakeLinear(std::vector<float>(static_cast<std::size_t>(k * n), 1), {}, n, k)),
        memory_(rows * (k + n) * static_cast<int64_t>(rose::SizeOf(dtype)) +
                2 * rose::Arena::kAlignment),
        arena_(memory_.data(), memory_.bytes()),
        workspace_(rose::cpu::CpuWorkspaceBytes(0, backend_.linear_workspace_bytes())),
        x_(arena_.Take(rows, k, dtype)),
        out_(arena_.Take(rows, n, dtype)) {
    // Pages that nothing was written to are all the same one, which caches do not bear well.
    for (int64_t i = 0; i < x_.elements(); ++i) rose::SetElement(x_, i, 1);
  }

  double BestSeconds() {
    rose::cpu::Serial alone(workspace_.data());
    rose::cpu::CpuOps ops(backend_.dtype(), backend_.kernels(), arena_, alone);
    return bench::BestSeconds([&] { ops.Linear(*linear_, x_, out_); });
  }

 private:
  rose::cpu::CpuBackend backend_;
  const rose::LinearWeight* linear_;
  rose::cpu::Memory memory_;
  rose::Arena arena_;
  rose::cpu::Memory workspace_;
  Tensor x_, out_;
};

/// Columns at a time that suit oneDNN where rows are few and the weights' rows whole pages apart.
int64_t NarrowParts(int64_t n) { return n % 256 == 0 ? n / 256 : n % 384 == 0 ? n / 384 : 1; }

/// In turns, so that a slow while of the machine meets both.
void PrintShape(rose::cpu::Isa isa, DType dtype, int64_t rows, const Shapes::value_type& shape) {
  constexpr int kTurns = 2;
  const auto [k, n] = shape.first;
  OurLinear linear(isa, dtype, rows, k, n);
  const auto whole = OneDnnMatmul::Create(dtype, rows, k, n);
  const auto narrow = OneDnnMatmul::Create(dtype, rows, k, n, NarrowParts(n));
  double ours = 1e9, onednn = 1e9;
  for (int turn = 0; turn < kTurns; ++turn) {
    ours = std::min(ours, linear.BestSeconds());
    for (OneDnnMatmul* product : {whole.get(), narrow.get()}) {
      onednn = std::min(onednn, BestSeconds([&] { product->Run(); }));
    }
  }
  fmt::print("| {} × {} × {} | {:.1f} | {:.1f} | {:.0f} % | {} |\n", rows, k, n,
             whole->flops() / ours * 1e-9, whole->flops() / onednn * 1e-9, 100 * onednn / ours,
             shape.second);
}

absl::Status Run(const Options& options) {
  spdlog::set_level(spdlog::level::warn);
  omp_set_num_threads(1);
  const DType dtype = options.bfloat16 ? DType::kBFloat16 : DType::kFloat32;
  ASSIGN_OR_RETURN(const rose::cpu::Isa processor, rose::cpu::DetectIsa());
  ASSIGN_OR_RETURN(const rose::cpu::Isa isa, rose::cpu::ParseIsa(options.isa, processor));
  RETURN_IF_ERROR(OneDnnMatmul::Cap(isa, dtype));
  ASSIGN_OR_RETURN(const Shapes shapes, ReadShapes(options.folders));
  const OthersShare others;
  fmt::print("| rows × in × out | GFLOP/s | oneDNN | share | models |\n");
  fmt::print("| --- | --- | --- | --- | --- |\n");
  for (const auto& shape : shapes) {
    for (const int64_t rows : options.rows) PrintShape(isa, dtype, rows, shape);
  }
  fmt::print("\n{}, {}, {}, one thread, by its own processor time; other programs used {:.0f} %\n",
             ProcessorName(), rose::cpu::IsaName(isa), rose::DTypeName(dtype),
             100 * others.share());
  return absl::OkStatus();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app{"Rates of the linear layers of model families, beside oneDNN's"};
  app.add_option("folders", options.folders, "model folders; config.json and modules.json will do")
      ->required();
  app.add_option("--rows", options.rows, "tokens at once")->capture_default_str();
  app.add_option("--isa", options.isa, "auto, avx2, avx512, avx512_bf16 or amx");
  app.add_flag("--bfloat16", options.bfloat16, "activations and weights (avx512_bf16 and above)");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = bench::Run(options);
  if (status.ok()) return 0;
  fmt::print(stderr, "linear_rates: {}\n", std::string(status.message()));
  return 1;
}
