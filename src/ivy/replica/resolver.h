#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "wire/host_port.h"

namespace ivy {

/// Says where the replicas are now: HOST:PORT each. May block; one thread at a time.
using Resolver = std::function<absl::StatusOr<std::vector<std::string>>()>;

/// Always the same ones.
Resolver MakeFixedResolver(std::vector<std::string> addresses);

/// What "dns:///NAME:PORT" names. InvalidArgument: it is not of that form.
absl::StatusOr<wire::HostPort> ParseDnsTarget(std::string_view target);

/// All addresses of the name. The resolver asks the system each time; its errors are Unavailable.
Resolver MakeDnsResolver(wire::HostPort target);

}  // namespace ivy
