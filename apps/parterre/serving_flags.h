#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "ivy.h"
#include "serve.h"
#include "tulip.h"

// The flags of the subcommands that serve, by the part that they set up: a subcommand has those of
// its parts. Each adds one flag for each field of the options, with default and unit.

void AddModelFlags(CLI::App& app, ModelOptions& options);
/// MODEL without a flag, for a command that has --model. It goes to `argument`.
void AddModelArgument(CLI::App& app, std::string& argument);
void AddTextFlags(CLI::App& app, TextOptions& options);
/// What computes: devices, engines, and the bounds of their batches.
void AddDeviceFlags(CLI::App& app, DeviceOptions& options);
/// What answers HTTP, but where it listens.
void AddGatewayFlags(CLI::App& app, ivy::GatewayOptions& options);
/// Where it listens, and to whom.
void AddListenFlags(CLI::App& app, ivy::GatewayOptions& options, ivy::ApiKeyOptions& keys);
/// Where traces go, and which.
void AddTraceFlags(CLI::App& app, TraceOptions& options);
void AddStopFlags(CLI::App& app, StopOptions& options);
void AddLogFlags(CLI::App& app, LogOptions& options);

void AddServeFlags(CLI::App& app, ServeOptions& options);
void AddTulipFlags(CLI::App& app, TulipOptions& options);
void AddIvyFlags(CLI::App& app, IvyOptions& options);
