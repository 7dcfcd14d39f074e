#include "serve.h"

#include "common/log.h"
#include "gateway_options.h"
#include "stack.h"

absl::Status RunServe(const ServeOptions& options) {
  RETURN_IF_ERROR(SetUpLog(options.log));
  Signals signals;
  ASSIGN_OR_RETURN(const std::unique_ptr<Stack> stack,
                   Stack::Load(options, signals.failure_hook()));
  signals.BeginServing();
  RETURN_IF_ERROR(stack->Listen());
  spdlog::info("listening on {}", GatewayUrl(options.gateway.server, stack->port()));
  stack->Shutdown(signals.AwaitStop(options.stop, {.begin_drain = [&] { stack->BeginDrain(); },
                                                   .reload = [&] { stack->Reload(); }}));
  spdlog::info("stopped");
  return signals.failure();
}
