#pragma once

/// Sees to it that the process, where a mapped file becomes shorter while it is read, says so and
/// ends with status 2, rather than by a signal without a word.
void TellOfCutFiles();
