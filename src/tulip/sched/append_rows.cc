#include "tulip/sched/append_rows.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tulip {
namespace {

using hub::Output;

void Append(std::span<const float> values, std::vector<float>& to) {
  to.insert(to.end(), values.begin(), values.end());
}

void AppendMatrix(const SliceRows& rows, Output output, wire::Matrix& matrix) {
  matrix.columns = static_cast<int32_t>(rows.shape(output).columns);
  const int64_t all = rows.slice().request->sequences() * matrix.columns;
  matrix.values.reserve(static_cast<std::size_t>(all));
  Append(rows.Values(output, rows.Whole()), matrix.values);
}

void AppendTokens(const SliceRows& rows, Output output, wire::TokenMatrix& matrix) {
  const rose::OutputShape& shape = rows.shape(output);
  matrix.columns = static_cast<int32_t>(shape.columns);
  const int64_t all = rows.slice().request->tokens() * matrix.columns;
  matrix.values.reserve(static_cast<std::size_t>(all));
  rows.ForEachSequence([&](Extent extent) {
    const int64_t left_out = std::min(shape.tokens_left_out, extent.tokens);
    extent.token += left_out;
    extent.tokens -= left_out;
    Append(rows.Values(output, extent), matrix.values);
    matrix.offsets.push_back(matrix.offsets.back() + extent.tokens);
  });
}

/// The ids of a sequence with their weights, each id once.
void AppendWeightsOfIds(std::span<const int32_t> ids, std::span<const float> weights,
                        std::span<const int32_t> left_out, wire::SparseMatrix& matrix) {
  std::vector<std::pair<int32_t, float>> entries;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool counts = std::find(left_out.begin(), left_out.end(), ids[i]) == left_out.end();
    if (counts && weights[i] > 0) entries.emplace_back(ids[i], -weights[i]);
  }
  std::sort(entries.begin(), entries.end());  // Of equal ids the heaviest first.
  for (const auto& [id, negative] : entries) {
    const bool begins = matrix.ids.size() == static_cast<std::size_t>(matrix.offsets.back());
    if (!begins && matrix.ids.back() == id) continue;
    matrix.ids.push_back(id);
    matrix.weights.push_back(-negative);
  }
}

void AppendSparse(const SliceRows& rows, std::span<const int32_t> left_out,
                  wire::SparseMatrix& matrix) {
  const bool per_token = rows.shape(Output::kSparse).per_token;
  rows.ForEachSequence([&](const Extent& extent) {
    const std::span<const float> weights = rows.Values(Output::kSparse, extent);
    if (per_token) {
      AppendWeightsOfIds(rows.Ids(extent), weights, left_out, matrix);
    } else {
      for (std::size_t id = 0; id < weights.size(); ++id) {
        if (!(weights[id] > 0)) continue;
        matrix.ids.push_back(static_cast<int32_t>(id));
        matrix.weights.push_back(weights[id]);
      }
    }
    matrix.offsets.push_back(static_cast<int64_t>(matrix.ids.size()));
  });
}

}  // namespace

void AppendRows(const SliceRows& rows, std::span<const int32_t> sparse_ids_left_out,
                wire::InferenceResult& result) {
  const hub::Outputs asked = rows.slice().request->asked.outputs;
  result.sequences += static_cast<int32_t>(rows.slice().sequences);
  if (asked.Has(Output::kDense)) AppendMatrix(rows, Output::kDense, result.dense);
  if (asked.Has(Output::kScores)) AppendMatrix(rows, Output::kScores, result.scores);
  if (asked.Has(Output::kSparse)) AppendSparse(rows, sparse_ids_left_out, result.sparse);
  if (asked.Has(Output::kTokens)) AppendTokens(rows, Output::kTokens, result.tokens);
  if (asked.Has(Output::kColbert)) AppendTokens(rows, Output::kColbert, result.colbert);
}

}  // namespace tulip
