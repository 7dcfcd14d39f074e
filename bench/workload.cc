#include "bench/workload.h"

#include <numeric>
#include <random>

#include "bench/draw.h"
#include "bench/text_maker.h"
#include "common/check.h"

namespace bench {
namespace {

std::vector<int32_t> DrawIds(int length, int vocabulary, std::mt19937_64& random) {
  std::vector<int32_t> ids(static_cast<size_t>(length));
  for (int32_t& id : ids) id = Draw(random, vocabulary / 10, vocabulary);
  return ids;
}

}  // namespace

int64_t Request::total_tokens() const {
  return std::accumulate(tokens.begin(), tokens.end(), int64_t{0});
}

absl::StatusOr<std::vector<Request>> MakeRequests(const Workload& workload, int count,
                                                  uint64_t seed) {
  CHECK(workload.batch > 0 && workload.length > 0 && workload.vocabulary > 0 && count > 0);
  const bool ids = workload.input == InputKind::kIds;
  std::mt19937_64 random(seed);
  TextMaker texts(workload.tokenizer);
  std::vector<Request> requests(static_cast<size_t>(count));
  for (Request& request : requests) {
    for (int i = 0; i < workload.batch; ++i) {
      const int length = workload.lengths ? workload.lengths->Draw(random) : workload.length;
      if (ids) {
        request.ids.push_back(DrawIds(length, workload.vocabulary, random));
      } else {
        ASSIGN_OR_RETURN(request.texts.emplace_back(), texts.Make(length, random));
      }
      if (ids || workload.tokenizer != nullptr) request.tokens.push_back(length);
    }
  }
  return requests;
}

}  // namespace bench
