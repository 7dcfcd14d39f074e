// A word whose embedding is NaN: what uses it comes out so, and nothing else does, now or later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "hub/model_folder.h"
#include "hub/temp_folder.h"
#include "rose/models/model_cases.h"
#include "rose/models/spoilt_weights.h"
#include "rose/runtime/engine.h"

namespace rose {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int32_t kSpoilt = 600;
constexpr int kLongest = 512;

/// So many words, the first one spoilt if asked for.
std::vector<int32_t> Ids(int length, bool spoilt) {
  std::vector<int32_t> ids(static_cast<std::size_t>(length));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(5 + i * 31 % 500);
  if (spoilt) ids[0] = kSpoilt;
  return ids;
}

/// Makes the table's row of kSpoilt NaN.
void SpoilWord(const fs::path& file) {
  std::string bytes = ReadFile(file);
  const std::vector<Place> places = PlacesIn(bytes);
  const auto table = std::find_if(places.begin(), places.end(), [](const Place& place) {
    return place.tensor.ends_with("word_embeddings.weight") ||
           place.tensor.ends_with("tok_embeddings.weight") ||
           place.tensor.ends_with("embed_tokens.weight");
  });
  ASSERT_NE(table, places.end());
  // All ones are a NaN of every type.
  bytes.replace(table->begin + kSpoilt * table->row_bytes, table->row_bytes, table->row_bytes,
                '\xff');
  WriteFile(file, bytes);
}

class SpoiltWordTest : public ::testing::TestWithParam<std::tuple<const char*, DType>> {
 protected:
  void SetUp() override {
    const auto& [name, dtype] = GetParam();
    const fs::path path = temp_.path() / name;
    fs::copy(ModelCasesPath(name), path, fs::copy_options::recursive);
    SpoilWord(path / "model.safetensors");
    auto engine = Engine::Create(hub::Open(path, {.max_length = kLongest}).value(),
                                 {.dtype = DTypeName(dtype),
                                  .max_batch_tokens = 4 * kLongest,
                                  .workers = 2,
                                  .measure_curve = false});
    if (dtype == DType::kBFloat16 && !engine.ok()) {
      ASSERT_THAT(std::string(engine.status().message()), HasSubstr("--dtype"));
      GTEST_SKIP() << engine.status().message();
    }
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
  }

  std::vector<std::vector<float>> Run(const std::vector<std::vector<int32_t>>& batch) {
    PackedSequences sequences;
    for (const auto& ids : batch) sequences.Add(ids, true);
    const auto lazy = engine_->Step(sequences.batch());
    const OutputRows rows = lazy->Wait()[hub::Output::kDense];
    std::vector<std::vector<float>> vectors;
    for (auto row = rows.values.begin(); row != rows.values.end(); row += rows.columns) {
      vectors.emplace_back(row, row + rows.columns);
    }
    return vectors;
  }

  const hub::TempFolder temp_;
  std::unique_ptr<Engine> engine_;
};

// To the bit, and with lengths around the edges of tiles, of graphs' buckets and of what a worker
// takes alone.
TEST_P(SpoiltWordTest, Bug32_NeitherNeighboursNorLaterStepsSeeIt) {
  for (const int edge : {1, 8, 16, 32, 48, 64, 128, 256, kLongest - 1}) {
    for (const int length : {edge, edge + 1}) {
      SCOPED_TRACE(length);
      const auto batch = [&](bool spoilt) {
        return std::vector{Ids(edge, false), Ids(length, spoilt), Ids(edge + 1, false)};
      };
      const auto sound = Run(batch(false)), spoilt = Run(batch(true));
      EXPECT_TRUE(std::all_of(spoilt[1].begin(), spoilt[1].end(),
                              [](float value) { return std::isnan(value); }));
      EXPECT_EQ(spoilt[0], sound[0]);
      EXPECT_EQ(spoilt[2], sound[2]);
      EXPECT_EQ(Run(batch(false)), sound) << "afterwards";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, SpoiltWordTest,
                         ::testing::Combine(::testing::Values("bert-mean", "xlm-roberta",
                                                              "modernbert", "qwen3-embedding",
                                                              "pplx-embed"),
                                            ::testing::Values(DType::kFloat32, DType::kBFloat16)),
                         [](const auto& test) {
                           return FolderTestName(std::get<0>(test.param), std::get<1>(test.param));
                         });

}  // namespace
}  // namespace rose
