#pragma once

#include "ivy/gateway.h"
#include "models.h"

/// The gateway's flags with what follows from the models' flags and the program.
ivy::GatewayOptions CompleteGateway(ivy::GatewayOptions gateway, const ModelOptions& models);
