#pragma once

/// Sees to it that the process may have this many files open, as far as it is allowed; returns how
/// many it may, at most that.
int AllowOpenFiles(int wanted);
