#pragma once

// For tests only: a folder that holds what a test writes and goes with it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace hub {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "hub_test_XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr) << name;
    path_ = name;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes (or replaces) a file, making its folders.
  TempFolder& Write(std::string_view name, std::string_view bytes) {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return *this;
  }
  TempFolder& Remove(std::string_view name) {
    std::filesystem::remove_all(path_ / name);
    return *this;
  }

 private:
  std::filesystem::path path_;
};

/// A BERT folder as sentence-transformers 3 writes it: mean pooling, normalised, 16 of 64 tokens.
/// Its weight and tokenizer files are empty shells: hub reads neither.
inline void WriteBertFolder(TempFolder& folder) {
  folder
      .Write("config.json",
             R"({"architectures": ["BertModel"], "model_type": "bert", "hidden_size": 32,
                 "num_attention_heads": 2, "max_position_embeddings": 64, "pad_token_id": 0})")
      .Write("modules.json",
             R"([{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
                 {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                 {"idx": 2, "path": "2_Normalize",
                  "type": "sentence_transformers.models.Normalize"}])")
      .Write("1_Pooling/config.json",
             R"({"word_embedding_dimension": 32, "pooling_mode_cls_token": false,
                 "pooling_mode_mean_tokens": true})")
      .Write("sentence_bert_config.json", R"({"max_seq_length": 16, "do_lower_case": false})")
      .Write("tokenizer_config.json", R"({"model_max_length": 64})")
      .Write("tokenizer.json", "{}")
      .Write("model.safetensors", "");
}

}  // namespace hub
