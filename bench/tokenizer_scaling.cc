#include "bench/tokenizer_scaling.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "bench/latency.h"
#include "bench/tokenizer_suite.h"
#include "common/clock.h"
#include "text/encode_pool.h"

namespace bench {
namespace {

constexpr std::size_t kBytesPerThread = std::size_t{1} << 20;
constexpr std::size_t kPassesMin = 5;

using Durations = std::vector<common::Duration>;

/// `texts`, as often as makes up for `bytes_min`.
std::vector<std::string_view> Repeat(const std::vector<std::string>& texts, std::size_t bytes_min) {
  std::vector<std::string_view> views;
  std::size_t bytes = 0;
  do {
    for (const std::string& text : texts) {
      views.push_back(text);
      bytes += text.size() + 1;
    }
  } while (bytes < bytes_min);
  return views;
}

double TextsPerSecond(std::size_t texts, Durations& passes) {
  std::sort(passes.begin(), passes.end());
  return static_cast<double>(texts) / (Milliseconds(Percentile(passes, 0.5)) / 1000);
}

}  // namespace

absl::StatusOr<nlohmann::json> RunTokenizerScaling(const TokenizerScaling& scaling) {
  ASSIGN_OR_RETURN(const auto texts, ReadTexts(scaling.texts));
  ASSIGN_OR_RETURN(const auto tokenizer, text::Tokenizer::FromFileOrFolder(scaling.tokenizer));
  text::EncodePool one(1), all(scaling.threads);
  const auto threads = static_cast<std::size_t>(all.threads());
  const auto views = Repeat(texts, threads * kBytesPerThread);
  text::EncodedTexts encoded;
  const common::Clock& clock = common::Clock::Steady();
  const auto pass = [&](text::EncodePool& pool, Durations& passes) {
    const common::TimePoint begin = clock.Now();
    pool.Encode(*tokenizer, views, {}, encoded);
    passes.push_back(clock.Now() - begin);
  };
  Durations unused, of_one, of_all;
  pass(one, unused);
  pass(all, unused);
  const common::TimePoint end = clock.Now() + FromSeconds(scaling.seconds);
  do {
    pass(one, of_one);
    pass(all, of_all);
  } while (clock.Now() < end || of_all.size() < kPassesMin);
  const double rate_of_one = TextsPerSecond(views.size(), of_one);
  const double rate_of_all = TextsPerSecond(views.size(), of_all);
  return nlohmann::json{
      {"threads", threads},
      {"many_texts_per_s", rate_of_all},
      {"many_texts_per_s_one", rate_of_one},
      {"many_scaling", rate_of_all / (static_cast<double>(threads) * rate_of_one)}};
}

}  // namespace bench
