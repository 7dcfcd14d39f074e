#include "rose/kernels/small_product_chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "rose/kernels/device_buffer.h"

namespace rose::kernels {
namespace {

/// A chain captured once and replayed.
class Graph {
 public:
  Graph(const SmallProductChain& chain, const SmallProductPlan (&plans)[4], bool overlap) {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    EXPECT_EQ(chain.Reset(stream_), cudaSuccess);
    EXPECT_EQ(chain.Run({.stream = stream_, .overlap = overlap}, plans), cudaSuccess);
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&instance_, graph_, 0), cudaSuccess);
  }
  ~Graph() {
    cudaGraphExecDestroy(instance_);
    cudaGraphDestroy(graph_);
    cudaStreamDestroy(stream_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::vector<BFloat16> Replay(Tensor out) const {
    std::vector<BFloat16> values(static_cast<std::size_t>(out.elements()));
    EXPECT_EQ(cudaGraphLaunch(instance_, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(values.data(), out.data, static_cast<std::size_t>(out.bytes()),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t instance_ = nullptr;
};

int64_t FirstDifference(const std::vector<BFloat16>& a, const std::vector<BFloat16>& b) {
  const auto same = [](BFloat16 x, BFloat16 y) { return x.bits == y.bits; };
  return std::mismatch(a.begin(), a.end(), b.begin(), same).first - a.begin();
}

TEST(SmallProductChain, GivesTheSameBitsWhereKernelsOverlap) {
  if (const std::string reason = NoHopper(); !reason.empty()) GTEST_SKIP() << reason;
  constexpr int kLayers = 8, kReplays = 50;
  for (const SmallProductLayers& model : kSmallProductLayers) {
    for (const int64_t tokens : {16, 32, 64, 96, 128}) {
      const std::string what = std::string(model.name) + ", " + std::to_string(tokens) + " tokens";
      const SmallProductChain chain(model, kLayers, tokens);
      SmallProductPlan plans[4];
      for (int j = 0; j < 4; ++j) plans[j] = *ChooseSmallProduct(chain.product(j).Shape(tokens));
      const std::vector<BFloat16> want = Graph(chain, plans, false).Replay(chain.x());
      for (const BFloat16 value : want) ASSERT_TRUE(std::isfinite(value.ToFloat())) << what;
      const Graph overlapped(chain, plans, true);
      for (int replay = 0; replay < kReplays; ++replay) {
        const std::vector<BFloat16> got = overlapped.Replay(chain.x());
        const int64_t at = FirstDifference(want, got), end = static_cast<int64_t>(want.size());
        ASSERT_EQ(at, end) << what << ", replay " << replay << ": first difference in row "
                           << at / chain.x().cols << " column " << at % chain.x().cols;
      }
    }
  }
}

}  // namespace
}  // namespace rose::kernels
