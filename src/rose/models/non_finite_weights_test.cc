// Whatever weight of whatever family or head is infinite or NaN: loading refuses it, or every
// answer that rests on it shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "hub/model_folder.h"
#include "hub/temp_folder.h"
#include "rose/core/bfloat16.h"
#include "rose/core/reference_backend.h"
#include "rose/models/head_cases.h"
#include "rose/models/model.h"
#include "rose/models/model_rows.h"

namespace rose {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A tensor of a .safetensors file.
struct Place {
  std::string tensor;
  bool is_table = false;  ///< Of which an answer needs some rows only.
  bool is_half = false;   ///< float16; else bfloat16 or float32, by the size of an element.
  std::size_t element_bytes = 0;
  std::size_t row_bytes = 0;
  std::size_t begin = 0, end = 0;
};

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

std::vector<Place> PlacesIn(const std::string& bytes) {
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), sizeof(header_bytes));
  const auto header = nlohmann::json::parse(bytes.substr(8, header_bytes));
  std::vector<Place> places;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const std::vector<std::size_t> shape = entry.at("shape"), offsets = entry.at("data_offsets");
    const std::string dtype = entry.at("dtype");
    const std::size_t element_bytes = dtype == "F32" ? 4 : 2;
    places.push_back({.tensor = name,
                      .is_table = (name.find("embed") != name.npos && shape.size() == 2) ||
                                  name == "lm_head.weight",
                      .is_half = dtype == "F16",
                      .element_bytes = element_bytes,
                      .row_bytes = shape.back() * element_bytes,
                      .begin = 8 + header_bytes + offsets[0],
                      .end = 8 + header_bytes + offsets[1]});
  }
  return places;
}

/// `value` as the first element of every row, so that every token meets it.
std::string Spoilt(std::string bytes, const Place& place, float value) {
  const bool is_nan = std::isnan(value);
  const uint16_t half = static_cast<uint16_t>((value < 0 ? 0xfc00 : 0x7c00) | (is_nan ? 1 : 0));
  const uint16_t stored = place.is_half ? half : BFloat16::FromFloat(value).bits;
  for (std::size_t at = place.begin; at < place.end; at += place.row_bytes) {
    const void* from = &value;
    if (place.element_bytes == sizeof(stored)) from = &stored;
    std::memcpy(bytes.data() + at, from, place.element_bytes);
  }
  return bytes;
}

/// What a checkpoint holds beside what its folder's answers rest on.
bool IsUnused(const std::string& folder, const std::string& tensor) {
  if (tensor.find("pooler.") != tensor.npos) return folder != "classify-bert";
  const bool is_tied_bias = tensor == "lm_head.bias" || tensor == "cls.predictions.bias";
  return is_tied_bias && folder.ends_with("-untied");
}

class NonFiniteWeightsTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    fs::copy(HeadCasesPath(GetParam()), path_, fs::copy_options::recursive);
    cases_ = ReadHeadCases(path_);
  }

  /// The folder as it is now: the refusal, or OK after its answer was seen not to be finite.
  absl::Status Expect(const Place& place) {
    const auto folder = hub::Open(path_, {.max_length = cases_.longest()}).value();
    ReferenceBackend backend(DType::kFloat32);
    const auto model = Model::Load(folder, {}, backend);
    if (!model.ok()) return model.status();
    const ModelRows rows(**model, Pack(std::vector{&cases_.inputs[2]}, folder.normalize),
                         DType::kFloat32);
    for (const hub::Output output : hub::kAllOutputs) {
      if (!(*model)->outputs().Has(output)) continue;
      const auto values = rows.All(output);
      EXPECT_FALSE(std::all_of(values.begin(), values.end(),
                               [](float value) { return std::isfinite(value); }))
          << place.tensor << ": " << hub::OutputName(output) << " hides it";
    }
    return absl::OkStatus();
  }

  const hub::TempFolder folder_;
  const fs::path path_ = folder_.path() / GetParam();  // A reranker is known by its name.
  HeadCases cases_;
};

TEST_P(NonFiniteWeightsTest, AreRefusedOrShow) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  int refused = 0, shown = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_)) {
    if (entry.path().filename() != "model.safetensors") continue;
    const std::string sound = ReadFile(entry.path());
    for (const Place& place : PlacesIn(sound)) {
      if (IsUnused(GetParam(), place.tensor)) continue;
      for (const float value : {kInfinity, -kInfinity, std::nanf("")}) {
        WriteFile(entry.path(), Spoilt(sound, place, value));
        const absl::Status status = Expect(place);
        status.ok() ? ++shown : ++refused;
        EXPECT_TRUE(!status.ok() || place.is_table) << place.tensor;
        if (status.ok()) continue;
        EXPECT_THAT(std::string(status.message()),
                    AllOf(HasSubstr("infinity or NaN"),
                          HasSubstr(place.tensor.substr(place.tensor.rfind('.')))));
      }
    }
    WriteFile(entry.path(), sound);
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(shown, 0);
}

std::vector<std::string> Folders() {
  std::vector<std::string> folders = HeadFolders();
  std::erase_if(folders, [](const std::string& name) { return name.starts_with("storage-"); });
  return folders;
}

auto Name = [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
};

INSTANTIATE_TEST_SUITE_P(, NonFiniteWeightsTest, ::testing::ValuesIn(Folders()), Name);

}  // namespace
}  // namespace rose
