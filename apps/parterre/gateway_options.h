#pragma once

#include <string>

#include "common/status.h"
#include "ivy/gateway.h"
#include "models.h"

/// The gateway's flags with what follows from the models' flags, the program and how many files it
/// may open: no more connections than these are room for, and an InvalidArgument where there is
/// room for none. TLS files are looked at, so that what is wrong with them is told before anything
/// is loaded.
absl::StatusOr<ivy::GatewayOptions> CompleteGateway(ivy::GatewayOptions gateway,
                                                    const ModelOptions& models);

/// Where a server with these options listens: "https://[::1]:8080".
std::string GatewayUrl(const ivy::ServerOptions& server, int port);
