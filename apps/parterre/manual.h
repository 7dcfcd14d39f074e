#pragma once

#include <string>

#include "command_description.h"
#include "common/status.h"

struct ManualOptions {
  std::string folder;
  CommandDescription program;
};

/// Writes into the folder, which is made, man1/*.1, a manual page for each command, and
/// parterre.bash, _parterre (zsh) and parterre.fish, which complete the command line.
absl::Status RunManual(const ManualOptions& options);
