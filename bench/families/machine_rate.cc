#include "bench/families/machine_rate.h"

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "bench/kernels/onednn_matmul.h"
#include "bench/kernels/timing.h"

namespace bench {
namespace {

/// Rows × k × n of the products that are tried.
struct Size {
  int64_t rows, k, n;
};
constexpr Size kSizes[] = {{512, 1024, 1024}, {512, 1024, 4096}, {1024, 3072, 768}};

double RateOf(rose::DType dtype, const Size& size, int workers) {
  std::vector<double> gflops(static_cast<std::size_t>(workers));
  std::vector<std::thread> threads;
  threads.reserve(gflops.size());
  for (double& rate : gflops) {
    threads.emplace_back([&rate, &size, dtype] {
      omp_set_num_threads(1);
      const auto product = OneDnnMatmul::Create(dtype, size.rows, size.k, size.n);
      rate = product->flops() / BestSeconds([&] { product->Run(); }) * 1e-9;
    });
  }
  double sum = 0;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i].join();
    sum += gflops[i];
  }
  return sum;
}

}  // namespace

double MachineRate(rose::DType dtype, int workers) {
  double best = 0;
  for (const Size& size : kSizes) best = std::max(best, RateOf(dtype, size, workers));
  return best;
}

}  // namespace bench
