#pragma once

#include "ivy/api/job_endpoint.h"

namespace ivy {

/// POST /rerank, as text-embeddings-inference: query, texts, truncate, truncation_direction,
/// raw_scores, return_text; also instruction. A list of {index, text?, score}, the best first. A
/// body with documents in place of texts is taken as ParseRerankV1 takes it.
absl::StatusOr<Call> ParseTeiRerank(const JsonBody& body, const ApiContext& context);

/// POST /v1/rerank, as Cohere, Jina and vLLM: query, documents (strings, or objects with text),
/// top_n, return_documents, raw_scores, instruction, truncate_prompt_tokens, truncation_side.
/// {id, model, results: [{index, relevance_score, document?}], usage, meta}, the best first.
absl::StatusOr<Call> ParseRerankV1(const JsonBody& body, const ApiContext& context);

/// POST /v2/rerank: the same, but as Cohere's version 2 documents are not returned by default.
absl::StatusOr<Call> ParseRerankV2(const JsonBody& body, const ApiContext& context);

}  // namespace ivy
