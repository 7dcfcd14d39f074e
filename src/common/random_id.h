#pragma once

#include <cstdint>

namespace common {

/// Of all threads of all processes together no two draw the same, as good as surely; never 0. Not
/// for secrets. Any thread.
uint64_t RandomId();

}  // namespace common
