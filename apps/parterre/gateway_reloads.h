#pragma once

#include <memory>

#include "common/status.h"
#include "ivy/gateway.h"
#include "ivy/http/api_keys.h"
#include "reloads.h"

// What of a gateway SIGHUP has read again.

/// The keys that requests must carry, null if none, whose file is read again. Errors as of
/// ApiKeys::Create.
absl::StatusOr<std::shared_ptr<const ivy::ApiKeys>> AddKeys(const ivy::ApiKeyOptions& options,
                                                            Reloads& reloads);

/// The certificates of HTTPS, where there are any. The gateway outlives the last Run.
void AddCertificates(const ivy::GatewayOptions& options, ivy::Gateway& gateway, Reloads& reloads);
