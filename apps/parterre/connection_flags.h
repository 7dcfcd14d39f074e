#pragma once

#include <CLI/CLI.hpp>

#include "ivy/net/server.h"

/// What clients may take of the server: connections, and of each its sizes and times.
void AddConnectionFlags(CLI::App& app, ivy::ServerOptions& options);
