#pragma once

#include <CLI/CLI.hpp>

#include "bench_beside.h"
#include "bench_suites.h"
#include "bench_tokenizer.h"
#include "inspect.h"
#include "manual.h"
#include "tokenize.h"
#include "tune.h"

/// Each adds one flag for each field of `options` to `app`, with default and unit. Only the command
/// line's own sources include this header: CLI11 is slow to compile.
void AddInspectFlags(CLI::App& app, InspectOptions& options);
void AddTokenizeFlags(CLI::App& app, TokenizeOptions& options);
void AddTuneFlags(CLI::App& app, TuneOptions& options);
void AddManualFlags(CLI::App& app, ManualOptions& options);
/// Of one suite.
void AddBenchFlags(CLI::App& app, BenchOptions& options);
/// Of several.
void AddSuitesBenchFlags(CLI::App& app, BenchOptions& options);
void AddOpenBenchFlags(CLI::App& app, OpenBenchOptions& options);
void AddBesideBenchFlags(CLI::App& app, BesideBenchOptions& options);
void AddTokenizerBenchFlags(CLI::App& app, TokenizerBenchOptions& options);
