#pragma once

// For tests: counts the calls that a step must not make. The linker sends them here first
// (CMakeLists.txt).

#include <atomic>
#include <cstdint>

namespace rose {

/// Allocations on the heap, on the device and of pinned memory, their end (but on the heap), graphs
/// that are made, and waits for the device.
extern std::atomic<int64_t> forbidden_calls;

}  // namespace rose
