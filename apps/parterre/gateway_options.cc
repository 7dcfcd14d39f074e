#include "gateway_options.h"

#include "certificate_dates.h"
#include "wire/host_port.h"
#include "wire/tls_material.h"

absl::StatusOr<ivy::GatewayOptions> CompleteGateway(ivy::GatewayOptions gateway,
                                                    const ModelOptions& models) {
  RETURN_IF_ERROR(wire::ReadServerTls(gateway.server.tls).status());
  WarnOfCertificateDates(gateway.server.tls);
  gateway.api.any_model_name = models.served_model_name.empty();
  gateway.api.version = PARTERRE_VERSION;
  return gateway;
}

std::string GatewayUrl(const ivy::ServerOptions& server, int port) {
  return (server.tls.certificate.empty() ? "http://" : "https://") +
         wire::JoinHostPort(server.host, port);
}
