#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "rose/kernels/launch.h"

namespace bench {

/// Times kernels as they run in a model: many launches in one CUDA graph. Exits with a message on
/// any error.
class GraphTimer {
 public:
  GraphTimer() {
    Check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    Check(cudaEventCreate(&begin_));
    Check(cudaEventCreate(&end_));
  }
  ~GraphTimer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }
  GraphTimer(const GraphTimer&) = delete;
  GraphTimer& operator=(const GraphTimer&) = delete;

  /// µs of one enqueue(Launch) among `launches`: the median of replays, each behind another one, so
  /// that what the host takes is not in it.
  template <typename Enqueue>
  double Microseconds(const Enqueue& enqueue, int launches = 20) {
    Check(enqueue(rose::kernels::Launch{.stream = stream_}));  // Loads modules.
    Check(cudaStreamSynchronize(stream_));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    Check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < launches; ++i) {
      Check(enqueue(rose::kernels::Launch{.stream = stream_}));
    }
    Check(cudaStreamEndCapture(stream_, &graph));
    Check(cudaGraphInstantiate(&replay, graph, 0));
    std::vector<double> times;
    double spent = 0;
    while (times.size() < kReplaysMin || (times.size() < kReplaysMax && spent < kBudget)) {
      times.push_back(Replay(replay) / launches);
      spent += times.back() * launches;
    }
    Check(cudaGraphExecDestroy(replay));
    Check(cudaGraphDestroy(graph));
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
  }

 private:
  static constexpr std::size_t kReplaysMin = 5;
  static constexpr std::size_t kReplaysMax = 25;
  static constexpr double kBudget = 20000;  ///< µs

  static void Check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
  }

  double Replay(cudaGraphExec_t replay) {
    float milliseconds = 0;
    Check(cudaGraphLaunch(replay, stream_));
    Check(cudaEventRecord(begin_, stream_));
    Check(cudaGraphLaunch(replay, stream_));
    Check(cudaEventRecord(end_, stream_));
    Check(cudaEventSynchronize(end_));
    Check(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return milliseconds * 1e3;
  }

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace bench
