#include "bench/length_distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string>

#include "bench/draw.h"
#include "common/file.h"

namespace bench {
namespace {

constexpr int kTokensMax = 1 << 20;

template <typename Number>
bool ReadNumber(const std::string& word, Number& number) {
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && stop == end;
}

absl::Status Malformed(int line, std::string_view text) {
  return absl::InvalidArgumentError(
      fmt::format("line {}: expected TOKENS WEIGHT, such as 128 0.5, got \"{}\"", line, text));
}

}  // namespace

absl::StatusOr<LengthDistribution> LengthDistribution::Parse(std::string_view text) {
  LengthDistribution distribution;
  double weight_below = 0;
  int number = 0;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream told(line.substr(0, line.find('#')));
    const std::vector<std::string> words{std::istream_iterator<std::string>(told), {}};
    if (words.empty()) continue;
    Step step;
    double weight = 0;
    if (words.size() != 2 || !ReadNumber(words[0], step.tokens) || step.tokens < 1 ||
        step.tokens > kTokensMax || !ReadNumber(words[1], weight) || weight < 0 ||
        !std::isfinite(weight)) {
      return Malformed(number, line);
    }
    step.weight_below = weight_below += weight;
    if (weight > 0) distribution.steps_.push_back(step);
  }
  if (distribution.steps_.empty() || !std::isfinite(weight_below)) {
    return absl::InvalidArgumentError("no length with a weight above 0, or too large ones");
  }
  return distribution;
}

absl::StatusOr<LengthDistribution> LengthDistribution::Read(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const std::string text, common::ReadFile(file));
  absl::StatusOr<LengthDistribution> distribution = Parse(text);
  if (distribution.ok()) return distribution;
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", file.string(), std::string(distribution.status().message())));
}

int LengthDistribution::Draw(std::mt19937_64& random) const {
  const double weight = DrawShare(random) * steps_.back().weight_below;
  const auto step = std::lower_bound(steps_.begin(), steps_.end() - 1, weight,
                                     [](const Step& s, double w) { return s.weight_below < w; });
  return step->tokens;
}

double LengthDistribution::mean() const {
  double sum = 0, below = 0;
  for (const Step& step : steps_) {
    sum += step.tokens * (step.weight_below - below);
    below = step.weight_below;
  }
  return sum / below;
}

}  // namespace bench
