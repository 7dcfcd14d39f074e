#include "rose/heads/load_heads.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "common/check.h"
#include "rose/heads/colbert_head.h"
#include "rose/heads/dense_module.h"
#include "rose/heads/lexical_head.h"
#include "rose/heads/load_classifier.h"
#include "rose/heads/load_splade.h"
#include "rose/heads/pooled_head.h"
#include "rose/heads/token_head.h"

namespace rose {
namespace {

using hub::Output;

/// bge-m3 makes no vector for late interaction of the class token.
constexpr int64_t kColbertTokensLeftOut = 1;

/// What all heads are made of.
struct Parts {
  const hub::ModelFolder& folder;
  int64_t hidden_size;
  const WeightSource& source;
  Loader& load;
};

absl::StatusOr<std::vector<DenseModule>> LoadModules(const std::vector<hub::DenseModule>& modules,
                                                     DType dtype, const Parts& parts) {
  std::vector<DenseModule> loaded;
  for (const hub::DenseModule& module : modules) {
    ASSIGN_OR_RETURN(loaded.emplace_back(),
                     LoadDenseModule(module, dtype, parts.source, parts.load.backend()));
  }
  return loaded;
}

/// A file that holds one layer, as `weight` and `bias`.
absl::StatusOr<Linear> LoadLinearFile(const std::filesystem::path& file, int64_t out_features,
                                      const Parts& parts) {
  ASSIGN_OR_RETURN(const auto weights, parts.source.Open({&file, 1}));
  Loader load(*weights, parts.load.backend());
  const Linear linear = load.Dense("", out_features, parts.hidden_size);
  RETURN_IF_ERROR(load.Finish());
  return linear;
}

absl::StatusOr<std::unique_ptr<Head>> LoadPooled(const Parts& parts) {
  ASSIGN_OR_RETURN(auto modules, LoadModules(parts.folder.dense, DType::kFloat32, parts));
  return std::make_unique<PooledHead>(parts.hidden_size, parts.folder.pooling, std::move(modules));
}

absl::StatusOr<std::unique_ptr<Head>> LoadSparse(const Parts& parts) {
  if (parts.folder.splade) return LoadSplade(parts.folder, parts.hidden_size, parts.load);
  CHECK(parts.folder.sparse_head.has_value());
  ASSIGN_OR_RETURN(const Linear linear, LoadLinearFile(parts.folder.sparse_head->file, 1, parts));
  return std::make_unique<LexicalHead>(linear);
}

absl::StatusOr<std::unique_ptr<Head>> LoadColbert(const Parts& parts) {
  CHECK(parts.folder.colbert_head.has_value());
  const hub::ColbertHead& head = *parts.folder.colbert_head;
  if (!head.dense.empty()) {
    ASSIGN_OR_RETURN(auto modules, LoadModules(head.dense, parts.load.backend().dtype(), parts));
    return std::make_unique<ColbertHead>(std::move(modules), 0);
  }
  ASSIGN_OR_RETURN(const Linear linear, LoadLinearFile(head.file, parts.hidden_size, parts));
  return std::make_unique<ColbertHead>(std::vector{DenseModule{.linear = linear}},
                                       kColbertTokensLeftOut);
}

absl::StatusOr<std::unique_ptr<Head>> LoadHead(Output output, const Parts& parts) {
  switch (output) {
    case Output::kDense:
      return LoadPooled(parts);
    case Output::kScores:
      return LoadClassifier(parts.folder, parts.hidden_size, parts.load);
    case Output::kSparse:
      return LoadSparse(parts);
    case Output::kTokens:
      return std::make_unique<TokenHead>(parts.hidden_size);
    case Output::kColbert:
      return LoadColbert(parts);
  }
  CHECK(false) << "output " << static_cast<int>(output);
}

}  // namespace

absl::StatusOr<hub::PerOutput<std::unique_ptr<Head>>> LoadHeads(const hub::ModelFolder& folder,
                                                                int64_t hidden_size,
                                                                const WeightSource& source,
                                                                Loader& load) {
  const Parts parts = {folder, hidden_size, source, load};
  hub::PerOutput<std::unique_ptr<Head>> heads;
  for (const Output output : hub::kAllOutputs) {
    if (!folder.outputs.Has(output)) continue;
    ASSIGN_OR_RETURN(heads[output], LoadHead(output, parts));
  }
  return heads;
}

}  // namespace rose
