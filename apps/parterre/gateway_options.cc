#include "gateway_options.h"

ivy::GatewayOptions CompleteGateway(ivy::GatewayOptions gateway, const ModelOptions& models) {
  gateway.api.any_model_name = models.served_model_name.empty();
  gateway.api.version = PARTERRE_VERSION;
  return gateway;
}
