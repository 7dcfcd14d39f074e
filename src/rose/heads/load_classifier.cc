#include "rose/heads/load_classifier.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/check.h"
#include "rose/core/row_source.h"
#include "rose/heads/classifier_head.h"
#include "rose/heads/decoder_name.h"
#include "rose/loading/config_keys.h"

namespace rose {
namespace {

constexpr DType kExact = DType::kFloat32;

struct Sizes {
  int64_t hidden = 0;
  int64_t labels = 0;
};

using LoadHead = absl::StatusOr<std::unique_ptr<ClassifierHead>>(const hub::ModelFolder& folder,
                                                                 const Sizes& sizes, Loader& load);

/// A dense layer over the first token's state, and one that gives the logits.
std::unique_ptr<ClassifierHead> TwoLayers(const char* dense, Activation activation,
                                          const char* logits, const Sizes& sizes, Loader& load) {
  auto head = std::make_unique<ClassifierHead>();
  head->dense = load.Dense(dense, sizes.hidden, sizes.hidden, kExact);
  head->activation = activation;
  head->logits = load.Dense(logits, sizes.labels, sizes.hidden, kExact);
  return head;
}

absl::StatusOr<std::unique_ptr<ClassifierHead>> LoadBertHead(const hub::ModelFolder&,
                                                             const Sizes& sizes, Loader& load) {
  return TwoLayers("pooler.dense", Activation::kTanh, "classifier", sizes, load);
}

absl::StatusOr<std::unique_ptr<ClassifierHead>> LoadRobertaHead(const hub::ModelFolder&,
                                                                const Sizes& sizes, Loader& load) {
  return TwoLayers("classifier.dense", Activation::kTanh, "classifier.out_proj", sizes, load);
}

absl::StatusOr<std::unique_ptr<ClassifierHead>> LoadDistilBertHead(const hub::ModelFolder&,
                                                                   const Sizes& sizes,
                                                                   Loader& load) {
  return TwoLayers("pre_classifier", Activation::kRelu, "classifier", sizes, load);
}

absl::StatusOr<std::unique_ptr<ClassifierHead>> LoadModernBertHead(const hub::ModelFolder& folder,
                                                                   const Sizes& sizes,
                                                                   Loader& load) {
  const hub::Config& config = folder.config;
  ASSIGN_OR_RETURN(const std::string pooling, config.String("classifier_pooling", "cls"));
  if (pooling != "cls" && pooling != "mean") {
    return config.Error("classifier_pooling",
                        fmt::format("expected \"cls\" or \"mean\", got \"{}\"", pooling));
  }
  ASSIGN_OR_RETURN(const float epsilon, ReadEpsilon(config, "norm_eps", 1e-5F));
  ASSIGN_OR_RETURN(const bool dense_bias, config.Bool("classifier_bias", false));
  RETURN_IF_ERROR(ExpectFlag(config, "norm_bias", false));
  auto head = std::make_unique<ClassifierHead>();
  ASSIGN_OR_RETURN(head->activation, ReadActivation(config, "classifier_activation"));
  head->pooling = pooling == "cls" ? PoolingMode::kCls : PoolingMode::kMean;
  head->dense = dense_bias ? load.Dense("head.dense", sizes.hidden, sizes.hidden, kExact)
                           : load.DenseNoBias("head.dense", sizes.hidden, sizes.hidden, kExact);
  head->norm = load.LayerNormNoBias("head.norm", sizes.hidden, epsilon);
  head->logits = load.Dense("classifier", sizes.labels, sizes.hidden, kExact);
  return head;
}

/// Of the last token, which alone has seen the whole text.
absl::StatusOr<std::unique_ptr<ClassifierHead>> LoadQwen3Head(const hub::ModelFolder&,
                                                              const Sizes& sizes, Loader& load) {
  auto head = std::make_unique<ClassifierHead>();
  head->pooling = PoolingMode::kLastToken;
  head->logits = load.DenseNoBias("score", sizes.labels, sizes.hidden, kExact);
  return head;
}

struct FamilyHead {
  std::string_view model_type;
  LoadHead* load;
};

constexpr FamilyHead kHeads[] = {
    {"bert", LoadBertHead},
    {"camembert", LoadRobertaHead},
    {"distilbert", LoadDistilBertHead},
    {"mpnet", LoadRobertaHead},
    {"modernbert", LoadModernBertHead},
    {"qwen3", LoadQwen3Head},
    {"roberta", LoadRobertaHead},
    {"xlm-roberta", LoadRobertaHead},
};

/// The language head's row of one token, or how far it lies from another's.
std::vector<float> LoadScoreRow(const hub::LogitScore& score, std::string_view matrix,
                                int64_t words, int64_t hidden, Loader& load) {
  std::vector<float> row = load.TiedRow(matrix, score.true_token_id, words, hidden);
  if (!score.false_token_id) return row;
  const std::vector<float> other = load.TiedRow(matrix, *score.false_token_id, words, hidden);
  for (std::size_t i = 0; i < other.size(); ++i) row[i] -= other[i];
  return row;
}

absl::StatusOr<std::unique_ptr<ClassifierHead>> LoadLogitScore(const hub::ModelFolder& folder,
                                                               const Sizes& sizes, Loader& load) {
  const hub::LogitScore& score = *folder.logit_score;
  ASSIGN_OR_RETURN(const int64_t words, folder.config.Int("vocab_size"));
  for (const int32_t id : {score.true_token_id, score.false_token_id.value_or(0)}) {
    if (id >= words) {
      return folder.config.Error(
          "vocab_size", fmt::format("{}, but the score is that of token id {}", words, id));
    }
  }
  auto head = std::make_unique<ClassifierHead>();
  head->pooling = PoolingMode::kLastToken;
  ASSIGN_OR_RETURN(
      const std::string_view matrix,
      DecoderName("lm_head.weight", "embed_tokens.weight", folder.config, load.weights()));
  const std::vector<float> row = LoadScoreRow(score, matrix, words, sizes.hidden, load);
  if (!load.ok()) return head;
  head->logits.weight =
      load.backend().MakeLinear(MemoryRows(row, 1, sizes.hidden), /*bias=*/{}, kExact);
  return head;
}

LoadHead* FindLoader(const hub::ModelFolder& folder) {
  if (folder.logit_score) return LoadLogitScore;
  for (const FamilyHead& family : kHeads) {
    if (family.model_type == folder.model_type) return family.load;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Head>> LoadClassifier(const hub::ModelFolder& folder,
                                                     int64_t hidden_size, Loader& load) {
  CHECK(folder.classifier.has_value());
  LoadHead* const loader = FindLoader(folder);
  if (loader == nullptr) {
    return folder.config.Error("architectures",
                               fmt::format("scores of {} are not served", folder.model_type));
  }
  const Sizes sizes = {.hidden = hidden_size,
                       .labels = static_cast<int64_t>(folder.classifier->labels.size())};
  ASSIGN_OR_RETURN(std::unique_ptr<ClassifierHead> head, loader(folder, sizes, load));
  head->hidden_size = hidden_size;
  return head;
}

}  // namespace rose
