#pragma once

#include <sched.h>

namespace common {

/// Tells the processor that its thread spins, which leaves more to the core's other thread.
inline void Pause() { __builtin_ia32_pause(); }

/// Gives the processor to another thread that was put on it, if there is one. A thread that spins
/// would keep it until its slice of some milliseconds is over.
inline void Yield() { sched_yield(); }

}  // namespace common
