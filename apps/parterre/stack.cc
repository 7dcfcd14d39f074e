#include "stack.h"

#include <algorithm>
#include <utility>

#include "gateway_options.h"
#include "gateway_reloads.h"
#include "ivy/gateway.h"

struct Stack::Parts {
  common::Metrics metrics;
  Reloads reloads{metrics};
  std::unique_ptr<Tracing> tracing;
  std::vector<NamedModel> models;
  std::vector<TextModel> texts;
  std::vector<std::unique_ptr<ModelWorkers>> workers;
  ivy::GatewayOptions gateway_options;
  std::vector<ivy::ServedModel> served;
  std::unique_ptr<ivy::Gateway> gateway;
};

Stack::Stack(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

absl::StatusOr<std::unique_ptr<Stack>> Stack::Load(const ServeOptions& options,
                                                   const FailureHook& on_failure) {
  ASSIGN_OR_RETURN(ivy::GatewayOptions gateway, CompleteGateway(options.gateway, options.models));
  auto parts = std::make_unique<Parts>();
  ASSIGN_OR_RETURN(gateway.service.api_keys, AddKeys(options.keys, parts->reloads));
  ASSIGN_OR_RETURN(parts->tracing, Tracing::Start(options.trace, "parterre", parts->metrics));
  ASSIGN_OR_RETURN(parts->models, OpenModels(options.models, options.devices.weights_required()));
  ASSIGN_OR_RETURN(parts->texts, LoadTextModels(parts->models, options.text));
  gateway.service.tracer = &parts->tracing->tracer();
  DeviceOptions devices = options.devices;
  devices.queue.max_concurrent_requests = gateway.api.runner.inputs_in_flight_max;
  std::vector<ivy::ServedModel> served;
  for (const TextModel& text : parts->texts) {
    ASSIGN_OR_RETURN(parts->workers.emplace_back(),
                     ModelWorkers::Start(*text.model, devices, on_failure, parts->metrics));
    gateway.server.spin = std::max(gateway.server.spin, parts->workers.back()->spin());
    served.push_back(text.Describe(options.text, &parts->workers.back()->client()));
  }
  parts->gateway_options = std::move(gateway);
  parts->served = std::move(served);
  return std::unique_ptr<Stack>(new Stack(std::move(parts)));
}

Stack::~Stack() { Shutdown(common::TimePoint::min()); }

absl::Status Stack::Listen() {
  ASSIGN_OR_RETURN(parts_->gateway,
                   ivy::Gateway::Create(parts_->gateway_options, parts_->served, parts_->metrics));
  AddCertificates(parts_->gateway_options, *parts_->gateway, parts_->reloads);
  return absl::OkStatus();
}

int Stack::port() const { return parts_->gateway->port(); }

void Stack::BeginDrain() { parts_->gateway->BeginDrain(); }

void Stack::Reload() { parts_->reloads.Run(); }

void Stack::Shutdown(common::TimePoint deadline) {
  if (parts_->gateway != nullptr) {
    parts_->gateway->StopAccepting();
    // While the workers still run, the connections get their answers.
    parts_->gateway->Wait(deadline);
  }
  for (const auto& workers : parts_->workers) workers->Shutdown(deadline);
  parts_->tracing->Shutdown(deadline);
}
