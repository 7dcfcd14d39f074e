#include "bench/tokenizer_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bench/latency.h"
#include "common/clock.h"
#include "common/file.h"
#include "text/tokenizer.h"

namespace bench {
namespace {

using Durations = std::vector<common::Duration>;

double Microseconds(common::Duration duration) { return Milliseconds(duration) * 1000; }

/// Encodes every text once and notes how long each took; returns the tokens of all.
std::size_t Pass(const text::Tokenizer& tokenizer, const std::vector<std::string>& texts,
                 text::Scratch& scratch, std::vector<int32_t>& ids, Durations& spent) {
  const common::Clock& clock = common::Clock::Steady();
  std::size_t tokens = 0;
  for (const std::string& text : texts) {
    ids.clear();
    const common::TimePoint begin = clock.Now();
    tokenizer.Encode(text, {}, scratch, ids);
    spent.push_back(clock.Now() - begin);
    tokens += ids.size();
  }
  return tokens;
}

/// Shares of the words between two counts.
void Report(const text::WordCounts& before, const text::WordCounts& after,
            const std::string& prefix, nlohmann::json& report) {
  const auto words = static_cast<double>(std::max<uint64_t>(after.words - before.words, 1));
  report[prefix + "remembered"] = static_cast<double>(after.remembered - before.remembered) / words;
  report[prefix + "split"] = static_cast<double>(after.split - before.split) / words;
}

void Report(Durations& spent, const std::string& prefix, nlohmann::json& report) {
  std::sort(spent.begin(), spent.end());
  report[prefix + "p50"] = Microseconds(Percentile(spent, 0.5));
  report[prefix + "p99"] = Microseconds(Percentile(spent, 0.99));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadTexts(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const std::string bytes, common::ReadFile(path));
  const auto broken = [&](std::string_view what) {
    return absl::InvalidArgumentError(fmt::format("{}: {}", path.string(), what));
  };
  std::size_t at = 0;
  const auto read_size = [&](uint32_t& size) {
    if (bytes.size() - at < sizeof(size)) return false;
    std::memcpy(&size, bytes.data() + at, sizeof(size));
    at += sizeof(size);
    return true;
  };
  uint32_t count = 0, size = 0;
  if (!read_size(count) || count == 0) return broken("expected a count of texts");
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < count; ++i) {
    if (!read_size(size) || bytes.size() - at < size) {
      return broken(fmt::format("text {} of {} is cut off", i, count));
    }
    texts.push_back(bytes.substr(at, size));
    if (!text::IsValidUtf8(texts.back())) return broken(fmt::format("text {} is not UTF-8", i));
    at += size;
  }
  return texts;
}

absl::StatusOr<nlohmann::json> RunTokenizerSuite(const TokenizerSuite& suite) {
  ASSIGN_OR_RETURN(const auto texts, ReadTexts(suite.texts));
  ASSIGN_OR_RETURN(const auto tokenizer, text::Tokenizer::FromFileOrFolder(suite.tokenizer));
  text::Scratch scratch;
  std::vector<int32_t> ids;
  if (!suite.warm_up.empty()) {
    ASSIGN_OR_RETURN(auto others, ReadTexts(suite.warm_up));
    others.resize(std::min(others.size(), TokenizerSuite::kWarmUpTexts));
    Durations unused;
    Pass(*tokenizer, others, scratch, ids, unused);
  }
  const text::WordCounts before = tokenizer->word_counts();
  nlohmann::json report;
  Durations spent;
  const std::size_t tokens = Pass(*tokenizer, texts, scratch, ids, spent);
  Report(spent, "first_", report);
  const text::WordCounts between = tokenizer->word_counts();
  Report(before, between, "first_", report);

  spent.clear();
  const common::Clock& clock = common::Clock::Steady();
  const common::TimePoint end = clock.Now() + FromSeconds(suite.seconds);
  do Pass(*tokenizer, texts, scratch, ids, spent);
  while (clock.Now() < end);
  Report(spent, "", report);
  Report(between, tokenizer->word_counts(), "", report);
  report["texts"] = texts.size();
  report["tokens"] = static_cast<double>(tokens) / static_cast<double>(texts.size());
  report["memory_mib"] = static_cast<double>(tokenizer->memory_bytes()) / (1 << 20);
  return report;
}

}  // namespace bench
