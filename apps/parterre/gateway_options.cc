#include "gateway_options.h"

#include <fmt/format.h>

#include "certificate_dates.h"
#include "common/log.h"
#include "open_files.h"
#include "wire/host_port.h"
#include "wire/tls_material.h"

namespace {

/// Beside connections: the log, the loops' own, model files while they are read, Tulips.
constexpr int kOtherFiles = 128;

}  // namespace

absl::StatusOr<ivy::GatewayOptions> CompleteGateway(ivy::GatewayOptions gateway,
                                                    const ModelOptions& models) {
  RETURN_IF_ERROR(wire::ReadServerTls(gateway.server.tls).status());
  WarnOfCertificateDates(gateway.server.tls);
  const int files = AllowOpenFiles(gateway.server.connections_max + kOtherFiles);
  if (files <= kOtherFiles) {
    return absl::InvalidArgumentError(fmt::format(
        "the process may open {} files; expected at least {} (ulimit -n): {} for all but "
        "connections, and one for each",
        files, kOtherFiles + 1, kOtherFiles));
  }
  if (files < gateway.server.connections_max + kOtherFiles) {
    gateway.server.connections_max = files - kOtherFiles;
    spdlog::warn("the process may open {} files, which is room for {} connections", files,
                 gateway.server.connections_max);
  }
  gateway.api.any_model_name = models.served_model_name.empty();
  gateway.api.version = PARTERRE_VERSION;
  return gateway;
}

std::string GatewayUrl(const ivy::ServerOptions& server, int port) {
  return (server.tls.certificate.empty() ? "http://" : "https://") +
         wire::JoinHostPort(server.host, port);
}
