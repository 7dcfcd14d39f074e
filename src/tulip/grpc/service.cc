#include "tulip/grpc/service.h"

#include "tulip/grpc/infer_call.h"
#include "wire/grpc/info_message.h"
#include "wire/grpc/status.h"

namespace tulip {
namespace {

/// The models that an InfoRequest asks for.
absl::StatusOr<std::vector<wire::InferenceClient*>> Choose(const ModelDirectory& directory,
                                                           const std::string& name) {
  if (name.empty()) return directory.models();
  ASSIGN_OR_RETURN(wire::InferenceClient* const model, directory.Find(name));
  return std::vector{model};
}

}  // namespace

grpc::ServerUnaryReactor* Service::Infer(grpc::CallbackServerContext* context,
                                         const v1::InferRequest* message,
                                         v1::InferResponse* answer) {
  if (!gate_.Enter()) {
    grpc::ServerUnaryReactor* const refusal = context->DefaultReactor();
    infer_metrics_.Count(grpc::StatusCode::UNAVAILABLE);
    refusal->Finish({grpc::StatusCode::UNAVAILABLE, "shutting down"});
    return refusal;
  }
  auto* const call = new InferCall(*context, *answer,
                                   {.answer_bytes_max = options_.answer_bytes_max,
                                    .tracer = options_.tracer,
                                    .metrics = infer_metrics_,
                                    .health = health_,
                                    .gate = gate_});
  call->Start(directory_, *message);
  return call;  // It ends itself.
}

grpc::ServerUnaryReactor* Service::Info(grpc::CallbackServerContext* context,
                                        const v1::InfoRequest* message, v1::InfoResponse* answer) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  const auto models = Choose(directory_, message->model());
  if (models.ok()) {
    for (const wire::InferenceClient* model : *models) {
      wire::FillInfo(model->Info(), *answer->add_models());
    }
  }
  const grpc::Status status = wire::ToGrpcStatus(models.status());
  info_metrics_.Count(status.error_code());
  reactor->Finish(status);
  return reactor;
}

}  // namespace tulip
