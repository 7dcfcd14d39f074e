#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench.h"
#include "config_file.h"
#include "inspect.h"
#include "serve.h"
#include "tokenize.h"
#include "tune.h"

/// Each adds one flag for each field of `options` to `app`, with default and unit. Only the command
/// line's own sources include this header: CLI11 is slow to compile.
void AddServeFlags(CLI::App& app, ServeOptions& options);
void AddInspectFlags(CLI::App& app, InspectOptions& options);
void AddTokenizeFlags(CLI::App& app, TokenizeOptions& options);
void AddTuneFlags(CLI::App& app, TuneOptions& options);
void AddBenchFlags(CLI::App& app, BenchOptions& options);
void AddTokenizerBenchFlags(CLI::App& app, TokenizerBenchOptions& options);

/// Gives every flag its environment variable: --max-batch-tokens → PARTERRE_MAX_BATCH_TOKENS.
void NameEnvironment(CLI::App& app);

/// Sets from `config` every flag of `app` that neither the arguments nor the environment set. A key
/// that is no flag is an InvalidArgument naming it; a bad value throws CLI::ParseError as a bad
/// argument does.
absl::Status ApplyConfig(const ConfigFile& config, CLI::App& app);
