#include "ivy/api/invocations.h"

#include "ivy/api/rerank.h"
#include "ivy/api/tei_embed.h"
#include "ivy/api/tei_predict.h"

namespace ivy {

absl::StatusOr<Call> ParseInvocation(const JsonBody& body, const ApiContext& context) {
  ASSIGN_OR_RETURN(const Model* model, FindReadyModel(body, context));
  const wire::ModelInfo& info = model->info();
  if (info.outputs.Has(hub::Output::kScores)) {
    return info.labels == 1 ? ParseTeiRerank(body, context) : ParseTeiPredict(body, context);
  }
  return info.outputs.Has(hub::Output::kDense) ? ParseTeiEmbed(body, context)
                                               : ParseTeiEmbedSparse(body, context);
}

}  // namespace ivy
