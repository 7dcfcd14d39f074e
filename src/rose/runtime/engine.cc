#include "rose/runtime/engine.h"

#include <fmt/format.h>

#include <cstdint>

#include "rose/core/attention_method.h"
#include "rose/runtime/backends.h"

namespace rose {
namespace {

absl::Status CheckOptions(const EngineOptions& options) {
  if (options.max_batch_tokens < 1 || options.max_batch_tokens > kBatchTokensMax) {
    return absl::InvalidArgumentError(fmt::format("--max-batch-tokens: expected 1 to {}, got {}",
                                                  kBatchTokensMax, options.max_batch_tokens));
  }
  if (!(options.batch_efficiency > 0 && options.batch_efficiency <= 1)) {
    return absl::InvalidArgumentError(
        fmt::format("--batch-efficiency: expected a share above 0 and up to 1, got {}",
                    options.batch_efficiency));
  }
  return ParseAttention(options.attention).status();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(const hub::ModelFolder& folder,
                                                       const EngineOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(const BackendKind* backend, FindBackend(options.device));
  return backend->make(folder, options);
}

absl::Status Engine::Tune(const hub::ModelFolder& folder, const EngineOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(const BackendKind* backend, FindBackend(options.device));
  return backend->tune(folder, options);
}

}  // namespace rose
