#pragma once

#include <array>
#include <string_view>

// Names of a model folder's files that may be called in more ways than one, the preferred first:
// for those who read them, and for the download, which must bring what is read.

namespace hub {

/// The settings of sentence-transformers' Transformer module, by their names of all ages.
inline constexpr std::array<std::string_view, 7> kSentenceBertFiles = {
    "sentence_bert_config.json",       "sentence_roberta_config.json",
    "sentence_distilbert_config.json", "sentence_camembert_config.json",
    "sentence_albert_config.json",     "sentence_xlm-roberta_config.json",
    "sentence_xlnet_config.json"};

/// What a tokenizer is read from, with tokenizer_config.json, where there is no tokenizer.json.
inline constexpr std::array<std::string_view, 6> kVocabularyFiles = {
    "vocab.txt",    "vocab.json",     "merges.txt", "sentencepiece.bpe.model",
    "spiece.model", "tokenizer.model"};

/// A format's index, which names the files that hold the tensors, and the one file without it.
struct WeightNames {
  std::string_view index;
  std::string_view file;
};
inline constexpr std::array kWeightFormats = {
    WeightNames{.index = "model.safetensors.index.json", .file = "model.safetensors"},
    WeightNames{.index = "pytorch_model.bin.index.json", .file = "pytorch_model.bin"}};

/// bge-m3's heads.
inline constexpr std::array<std::string_view, 2> kSparseHeadFiles = {"sparse_linear.safetensors",
                                                                     "sparse_linear.pt"};
inline constexpr std::array<std::string_view, 2> kColbertHeadFiles = {"colbert_linear.safetensors",
                                                                      "colbert_linear.pt"};

}  // namespace hub
