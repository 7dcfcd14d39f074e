#include "gateway_reloads.h"

#include "certificate_dates.h"

absl::StatusOr<std::shared_ptr<const ivy::ApiKeys>> AddKeys(const ivy::ApiKeyOptions& options,
                                                            Reloads& reloads) {
  ASSIGN_OR_RETURN(std::shared_ptr<ivy::ApiKeys> keys, ivy::ApiKeys::Create(options));
  if (!options.file.empty()) reloads.Add("API keys", "api_keys", [keys] { return keys->Reload(); });
  return keys;
}

void AddCertificates(const ivy::GatewayOptions& options, ivy::Gateway& gateway, Reloads& reloads) {
  if (options.server.tls.certificate.empty()) return;
  reloads.Add("certificates of HTTPS", "tls", [&gateway, tls = options.server.tls] {
    RETURN_IF_ERROR(gateway.ReloadTls());
    WarnOfCertificateDates(tls);
    return absl::OkStatus();
  });
}
