#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace ivy {

/// Says where the replicas are now: HOST:PORT each. May block; one thread at a time.
using Resolver = std::function<absl::StatusOr<std::vector<std::string>>()>;

/// Always the same ones.
Resolver MakeFixedResolver(std::vector<std::string> addresses);

/// All addresses of a name: "dns:///NAME:PORT". InvalidArgument: not of that form. The resolver
/// asks the system each time; its errors are Unavailable.
absl::StatusOr<Resolver> MakeDnsResolver(std::string_view target);

}  // namespace ivy
