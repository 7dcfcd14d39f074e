#include "ivy/api/scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ivy {
namespace {

double Sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

void Softmax(std::span<float> logits) {
  if (logits.empty()) return;
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  for (float& logit : logits) logit = static_cast<float>(std::exp(logit - largest) / sum);
}

}  // namespace

void Activate(hub::ScoreActivation activation, std::span<float> logits) {
  switch (activation) {
    case hub::ScoreActivation::kIdentity:
      return;
    case hub::ScoreActivation::kSoftmax:
      return Softmax(logits);
    case hub::ScoreActivation::kSigmoid:
      for (float& logit : logits) logit = static_cast<float>(Sigmoid(logit));
      return;
  }
}

std::vector<std::size_t> RankDescending(std::span<const float> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  return order;
}

}  // namespace ivy
