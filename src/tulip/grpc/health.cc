#include "tulip/grpc/health.h"

#include <grpcpp/health_check_service_interface.h>

namespace tulip {

void Health::Attach(grpc::HealthCheckServiceInterface& service) {
  for (const wire::InferenceClient* model : models_) {
    service.SetServingStatus(model->Info().name, true);
  }
  service_ = &service;
  // What failed before there was somebody to tell.
  for (const wire::InferenceClient* model : models_) Observe(*model);
}

void Health::Observe(const wire::InferenceClient& model) {
  grpc::HealthCheckServiceInterface* const service = service_;
  if (service == nullptr || model.Healthy()) return;
  service->SetServingStatus(model.Info().name, false);
  service->SetServingStatus("", false);
}

void Health::BeginDrain() { service_.load()->Shutdown(); }

}  // namespace tulip
