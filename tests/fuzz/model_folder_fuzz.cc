#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string>

#include "common/check.h"
#include "fuzz_input.h"
#include "hub/file_names.h"
#include "hub/model_folder.h"
#include "hub/read_config.h"
#include "tokenizer_checks.h"

// Any bytes as the files of a model folder: a line "=== NAME" and below it what the file NAME
// holds. The folder is refused with the name of a file, or read into a description that keeps its
// own rules; its tokenizer likewise.

namespace {

namespace fs = std::filesystem;

/// What may be in it: a name that was never written leads nowhere else.
bool IsKnown(std::string_view name) {
  static const std::set<std::string_view> names = [] {
    std::set<std::string_view> known = {"config.json",
                                        "modules.json",
                                        "config_sentence_transformers.json",
                                        "tokenizer.json",
                                        "tokenizer_config.json",
                                        "special_tokens_map.json",
                                        "added_tokens.json",
                                        "template.json",
                                        "1_Pooling/config.json",
                                        "2_Dense/config.json",
                                        "2_Dense/model.safetensors",
                                        "3_Dense/config.json",
                                        "0_Transformer/config.json",
                                        "0_Transformer/tokenizer_config.json"};
    known.insert(hub::kSentenceBertFiles.begin(), hub::kSentenceBertFiles.end());
    known.insert(hub::kVocabularyFiles.begin(), hub::kVocabularyFiles.end());
    known.insert(hub::kSparseHeadFiles.begin(), hub::kSparseHeadFiles.end());
    known.insert(hub::kColbertHeadFiles.begin(), hub::kColbertHeadFiles.end());
    for (const hub::WeightNames& format : hub::kWeightFormats) {
      known.insert({format.index, format.file});
    }
    return known;
  }();
  return names.contains(name);
}

/// A folder of this process, on memory where there is some; gone when it ends.
class Folder {
 public:
  Folder() {
    const fs::path memory = "/dev/shm";
    std::string name =
        ((fs::is_directory(memory) ? memory : fs::temp_directory_path()) / "fuzz_XXXXXX").string();
    CHECK(::mkdtemp(name.data()) != nullptr) << name;
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& path() const { return path_; }

  /// Makes it hold what `input` says and nothing else.
  void Fill(FuzzInput input) {
    for (const fs::path& file : written_) fs::remove(file);
    written_.clear();
    std::ofstream file;
    while (!input.empty()) {
      const std::string_view line = input.TakeUntil('\n');
      if (line.starts_with("=== ")) {
        file.close();
        if (IsKnown(line.substr(4))) Open(path_ / line.substr(4), file);
      } else if (file.is_open()) {
        file << line << '\n';
      }
    }
  }

 private:
  void Open(const fs::path& path, std::ofstream& file) {
    fs::create_directories(path.parent_path());
    file.open(path, std::ios::binary);
    CHECK(file.is_open()) << path;
    written_.insert(path);
  }

  fs::path path_;
  std::set<fs::path> written_;
};

void CheckRefusal(const absl::Status& status) {
  const bool told = status.code() == absl::StatusCode::kInvalidArgument ||
                    status.code() == absl::StatusCode::kNotFound;
  CHECK(told && !status.message().empty()) << status;
}

/// 1 … 2³¹ − 1: casts to int are safe.
void CheckSize(int64_t size) {
  CHECK(size >= 1 && size <= std::numeric_limits<int32_t>::max()) << size;
}

void CheckFolder(const hub::ModelFolder& model) {
  using hub::Output;
  CheckSize(model.max_length);
  CHECK(!model.max_length_source.empty() && !model.task_source.empty());
  CHECK(!model.outputs.empty() && !model.fingerprint.empty());
  CHECK(model.classifier.has_value() == model.outputs.Has(Output::kScores));
  CHECK(!model.classifier || !model.classifier->labels.empty());
  CHECK((model.splade.has_value() != model.sparse_head.has_value()) ==
        model.outputs.Has(Output::kSparse));
  CHECK(model.colbert_head.has_value() == model.outputs.Has(Output::kColbert));
  CHECK(model.pooling.modes.empty() != model.outputs.Has(Output::kDense));
  if (model.dimension) CheckSize(*model.dimension);
  for (std::size_t i = 0; i < model.dense.size(); ++i) {
    CheckSize(model.dense[i].in_features);
    CheckSize(model.dense[i].out_features);
    if (i > 0) CHECK(model.dense[i].in_features == model.dense[i - 1].out_features);
  }
  CHECK(!model.default_prompt_name || model.prompts.contains(*model.default_prompt_name));
}

/// All ways to open it; what a flag says may be refused, and then the flag is named.
void CheckOpen(const fs::path& path) {
  const hub::OpenOptions options[] = {
      {.weights_required = false},
      {.keep_unsupported = true},
      {.pooling = hub::PoolingMode::kMean, .max_length = 8, .weights_required = false},
      {.task = hub::Task::kReranking,
       .rerank_template = (path / "template.json").string(),
       .weights_required = false},
      {.task = hub::Task::kClassification, .rerank_template = "none", .weights_required = false}};
  for (const hub::OpenOptions& how : options) {
    const auto model = hub::Open(path, how);
    model.ok() ? CheckFolder(*model) : CheckRefusal(model.status());
  }
}

void CheckTokenizer(const fs::path& path) {
  const auto tokenizer = text::Tokenizer::FromFolder(path);
  if (!tokenizer.ok()) return CheckRefusal(tokenizer.status());
  for (const std::string_view text :
       {"Hello <s> world's 12\n\n ", "e\u0301 \u2581\u3000\u6F22\u5B57"}) {
    CheckEncodings(**tokenizer, text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Folder folder;
  folder.Fill(FuzzInput(data, size));
  CheckOpen(folder.path());
  CheckTokenizer(folder.path());
  return 0;
}
