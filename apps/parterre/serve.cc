#include "serve.h"

#include "common/log.h"
#include "gateway_options.h"
#include "stack.h"

absl::Status RunServe(const ServeOptions& options) {
  const Signals signals;
  RETURN_IF_ERROR(SetUpLog(options.log));
  ASSIGN_OR_RETURN(const std::unique_ptr<Stack> stack, Stack::Create(options));
  spdlog::info("listening on {}", GatewayUrl(options.gateway.server, stack->port()));
  stack->Shutdown(signals.AwaitStop(options.stop, [&] { stack->BeginDrain(); }));
  spdlog::info("stopped");
  return absl::OkStatus();
}
