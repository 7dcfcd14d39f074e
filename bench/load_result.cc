#include "bench/load_result.h"

#include <algorithm>
#include <utility>

namespace bench {

void LoadSum::Add(const Session& session, const ClientTimes& times) {
  result_.dimensions = session.dimensions();
  result_.tokens += session.tokens();
  for (const auto& [tokens, inputs] : session.InputsByTokens()) {
    result_.inputs_by_tokens[tokens] += inputs;
  }
  times_.start = std::min(times_.start, times.start);
  times_.end = std::max(times_.end, times.end);
  times_.latencies.insert(times_.latencies.end(), times.latencies.begin(), times.latencies.end());
}

LoadResult LoadSum::Result() && {
  result_.latency = Summarize(std::move(times_.latencies));
  result_.wall_s = std::chrono::duration<double>(times_.end - times_.start).count();
  return std::move(result_);
}

}  // namespace bench
