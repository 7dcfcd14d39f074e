#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

// What the fuzzers found once, and what they start from, as ordinary tests: without libFuzzer, with
// whatever compiler and sanitizers the others have.

using Fuzzer = int(const uint8_t* data, size_t size);

extern "C" {
Fuzzer config_file_fuzz, encode_fuzz, http_fuzz, kernels_fuzz, message_fuzz, model_folder_fuzz,
    normalizer_fuzz, number_vectors_fuzz, pair_kernels_fuzz, pre_tokenizer_fuzz, request_fuzz,
    safetensors_fuzz, text_vectors_fuzz, tokenizer_json_fuzz, torch_file_fuzz, unigram_fuzz,
    word_windows_fuzz;
}

namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string name;
  Fuzzer* fuzzer;

  friend std::ostream& operator<<(std::ostream& out, const Entry& entry) {
    return out << entry.name;
  }
};
const Entry kFuzzers[] = {
    {"config_file", config_file_fuzz},
    {"encode", encode_fuzz},
    {"http", http_fuzz},
    {"kernels", kernels_fuzz},
    {"message", message_fuzz},
    {"model_folder", model_folder_fuzz},
    {"normalizer", normalizer_fuzz},
    {"number_vectors", number_vectors_fuzz},
    {"pair_kernels", pair_kernels_fuzz},
    {"pre_tokenizer", pre_tokenizer_fuzz},
    {"request", request_fuzz},
    {"safetensors", safetensors_fuzz},
    {"text_vectors", text_vectors_fuzz},
    {"tokenizer_json", tokenizer_json_fuzz},
    {"torch_file", torch_file_fuzz},
    {"unigram", unigram_fuzz},
    {"word_windows", word_windows_fuzz},
};

const fs::path kFolder = PARTERRE_FUZZ_FOLDER;

class FuzzCorpusTest : public testing::TestWithParam<Entry> {};

TEST_P(FuzzCorpusTest, EveryInputKeepsTheRules) {
  std::size_t inputs = 0;
  for (const auto& entry : fs::directory_iterator(kFolder / "corpus" / GetParam().name)) {
    std::ifstream file(entry.path(), std::ios::binary);
    // In a block of its own size, so that reading beyond it is seen.
    const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    std::printf("%s\n", entry.path().c_str());  // The last one is it if the program ends here.
    std::fflush(stdout);
    GetParam().fuzzer(bytes.data(), bytes.size());
    ++inputs;
  }
  EXPECT_GT(inputs, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, FuzzCorpusTest, testing::ValuesIn(kFuzzers),
                         [](const auto& entry) { return entry.param.name; });

TEST(FuzzCorpusTest, HasAFolderForEveryFuzzer) {
  std::vector<std::string> sources, folders, names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string file = entry.path().filename();
    const std::size_t end = file.find("_fuzz.cc");
    if (end != file.npos) sources.push_back(file.substr(0, end));
  }
  for (const auto& entry : fs::directory_iterator(kFolder / "corpus")) {
    folders.push_back(entry.path().filename());
  }
  for (const Entry& entry : kFuzzers) names.push_back(entry.name);
  std::sort(sources.begin(), sources.end());
  std::sort(folders.begin(), folders.end());
  EXPECT_EQ(sources, names);
  EXPECT_EQ(folders, names);
}

}  // namespace
