#include "bench/workload.h"

#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>

#include "common/check.h"

namespace bench {
namespace {

// Everyday words that the usual vocabularies hold whole, so that words and tokens are about one.
constexpr std::array<std::string_view, 64> kWords = {
    "after",  "air",    "animal",  "answer", "bird",    "blue",   "boat",    "book",
    "bridge", "child",  "city",    "cloud",  "cold",    "corner", "day",     "door",
    "earth",  "east",   "evening", "field",  "fire",    "fish",   "flower",  "forest",
    "green",  "hand",   "heart",   "hill",   "home",    "horse",  "island",  "king",
    "lake",   "letter", "light",   "line",   "market",  "moon",   "morning", "music",
    "night",  "north",  "ocean",   "paper",  "people",  "plant",  "rain",    "road",
    "room",   "salt",   "school",  "season", "ship",    "snow",   "stone",   "story",
    "street", "summer", "table",   "tree",   "village", "wind",   "winter",  "year"};

/// The standard fixes what the engine yields, but not what its distributions make of it.
int Draw(std::mt19937_64& random, int first, int end) {
  return first + static_cast<int>(random() % static_cast<uint64_t>(end - first));
}

nlohmann::json MakeInput(const Workload& workload, std::mt19937_64& random) {
  if (workload.input == InputKind::kIds) {
    std::vector<int> ids(static_cast<size_t>(workload.length));
    for (int& id : ids) id = Draw(random, workload.vocabulary / 10, workload.vocabulary);
    return ids;
  }
  std::string text;
  for (int i = 0; i < workload.length; ++i) {
    if (i > 0) text += ' ';
    text += kWords[static_cast<size_t>(Draw(random, 0, static_cast<int>(kWords.size())))];
  }
  return text;
}

}  // namespace

std::vector<std::string> MakeBodies(const Workload& workload, int count, uint64_t seed) {
  CHECK(workload.batch > 0 && workload.length > 0 && workload.vocabulary > 0 && count > 0);
  std::mt19937_64 random(seed);
  std::vector<std::string> bodies;
  for (int i = 0; i < count; ++i) {
    nlohmann::json body = {{"encoding_format", "base64"}};
    if (!workload.model.empty()) body["model"] = workload.model;
    for (int j = 0; j < workload.batch; ++j) body["input"].push_back(MakeInput(workload, random));
    bodies.push_back(body.dump());
  }
  return bodies;
}

}  // namespace bench
